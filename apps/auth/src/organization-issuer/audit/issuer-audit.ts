import { Inject, Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { AuditWriter, DeniedRequestCounter, RecordOutbox } from '@holdfast/audit-client';
import type { AuditRecord, AuditTarget } from '@holdfast/contracts';
import { AppError, CLOCK, newId, type Clock } from '@holdfast/platform';
import { Organizations } from '../../organizations/organizations.js';
import { anonymous, humanOf, issuerRequestOf, type IssuerRequest } from '../../request-context/issuer-request.js';
import { actionOf, actorOf, auditedRequestOf, type AuditedRequest, type RequestResult } from './audited-request.js';

/** Error codes of the sign-in page that are failures. With all others the sign-in was denied. */
const failureCodes = new Set([
  'internal',
  'invalid_request',
  'unsupported_media_type',
  'payload_too_large',
  'request_timeout',
  'client_closed_request',
  'method_not_allowed',
  'ceremony_expired',
]);

/** Audit records of sign-ins, sign-outs and tokens (product §7). Requests without authentication are counted. */
@Injectable()
export class IssuerAudit {
  constructor(
    private readonly writer: AuditWriter,
    private readonly deniedRequests: DeniedRequestCounter,
    private readonly organizations: Organizations,
    private readonly records: RecordOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Records or counts a request. The response leaves after this resolves. */
  async record(ctx: KoaContextWithOIDC, org: string, result: RequestResult): Promise<void> {
    const request = issuerRequestOf(ctx);
    if (request.change) return this.records.append(org, request.change);
    const audited = auditedRequestOf(ctx, request, result);
    if (audited) await this.write(org, request, audited);
  }

  /** The record of a change, to be committed with it. */
  recordOfChange(request: IssuerRequest, audited: AuditedRequest): AuditRecord {
    return { ...recordOf(request, audited, this.clock.now()), id: newId() };
  }

  /** The record of a sign-in, to be committed with what it changes. */
  recordOfSignIn(request: IssuerRequest): AuditRecord {
    const outcome = { result: 'success', status: 200 } as const;
    return this.recordOfChange(request, { action: actionOf(request, 'sign_in'), actor: actorOf(request), outcome });
  }

  /** Appends a committed record. The response waits for it, for a second at most. */
  append(org: string, record: AuditRecord): Promise<void> {
    return this.records.append(org, record);
  }

  /**
   * Records an error of the sign-in page. It is counted instead while no passkey has identified a customer or person:
   * otherwise anybody could fill the log.
   */
  recordSignInError(org: string, request: IssuerRequest, code: string, status = 200): Promise<void> {
    const { subject } = request;
    return this.write(org, request, {
      action: actionOf(request, 'sign_in'),
      actor: actorOf(request),
      outcome: { result: failureCodes.has(code) ? 'failure' : 'denied', status, code },
      counted: subject === undefined,
    });
  }

  /** Records that a passkey signed in although its counter went back. The sign-in itself is another request. */
  recordCounterWentBack(org: string, request: IssuerRequest): Promise<void> {
    return this.write(org, request, {
      action: 'passkey.counter_went_back',
      actor: actorOf(request),
      outcome: { result: 'success', status: 200 },
    });
  }

  /**
   * Counts a request to a suspended organization, whose response is the same as for an unknown one. An unknown
   * organization has no log.
   */
  async countIfSuspended(org: string, request: IssuerRequest): Promise<void> {
    if (!(await this.organizations.isSuspended(org))) return;
    const { code, status } = new AppError('unknown_organization');
    await this.write(org, request, {
      action: 'request.denied',
      actor: anonymous,
      outcome: { result: 'denied', status, code },
      counted: true,
    });
  }

  private write(org: string, request: IssuerRequest, audited: AuditedRequest): Promise<void> {
    const record = recordOf(request, audited, this.clock.now());
    return audited.counted
      ? this.deniedRequests.count(org, record, request.network)
      : this.writer.append(org, { ...record, id: newId() });
  }
}

/**
 * A count represents many requests, so it names an app at most, and no customer or person. Only their records contain
 * address and user agent.
 */
export function recordOf(
  issuerRequest: IssuerRequest,
  { action, actor, outcome, counted, changes }: AuditedRequest,
  now: Date,
): Omit<AuditRecord, 'id'> {
  const { info, personalOrigin, client, subject, credential } = issuerRequest;
  const app: AuditTarget[] =
    client && (!counted || actor.type === 'app') ? [{ type: 'app', id: client.app.clientId }] : [];
  const targets: AuditTarget[] = counted
    ? app
    : [
        ...app,
        ...(subject !== undefined && actor.type === 'app'
          ? [{ type: humanOf(issuerRequest), id: subject, dataSubject: subject } as const]
          : []),
        ...(subject !== undefined && credential !== undefined
          ? [{ type: 'credential', id: credential, dataSubject: subject } as const]
          : []),
      ];
  const isHuman = actor.type === 'customer' || actor.type === 'person';
  const request = isHuman ? { ...info, ...personalOrigin } : info;
  return { occurredAt: now.toISOString(), action, actor, targets, outcome, request, ...(changes && { changes }) };
}
