import { Inject, Injectable } from '@nestjs/common';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import type { AuditRecord, AuditTarget } from '@holdfast/contracts';
import { AppError, CLOCK, newId, type Clock } from '@holdfast/platform';
import { Organizations } from '../../organizations/organizations.js';
import { RecordOutbox } from '../../record-outbox/record-outbox.js';
import { anonymous, issuerRequestOf, type IssuerRequest } from '../../request-context/issuer-request.js';
import { auditedRequestOf, type AuditedRequest, type RequestResult } from './audited-request.js';

/** Codes of the sign-in page that say "this does not work", where the others say "you may not". */
const faulty = new Set([
  'internal',
  'invalid_request',
  'unsupported_media_type',
  'payload_too_large',
  'request_timeout',
  'client_closed_request',
  'method_not_allowed',
  'ceremony_expired',
]);

/**
 * What the organization's log says of sign-ins, sign-outs and tokens (product §7). Of what it must not say, it counts.
 */
@Injectable()
export class IssuerAudit {
  constructor(
    private readonly writer: AuditWriter,
    private readonly deniedRequests: DeniedRequestCounter,
    private readonly organizations: Organizations,
    private readonly records: RecordOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Resolves when the answer may leave. */
  async record(ctx: KoaContextWithOIDC, org: string, ending: RequestResult): Promise<void> {
    const request = issuerRequestOf(ctx);
    if (request.change) return this.records.placed(org, request.change);
    const audited = auditedRequestOf(ctx, request, ending);
    if (audited) await this.write(org, request, audited);
  }

  /** Of a change: to be committed with it. */
  ofChange(request: IssuerRequest, audited: AuditedRequest): AuditRecord {
    return { ...recordOf(request, audited, this.clock.now()), id: newId() };
  }

  /**
   * Of a refusal on the sign-in page, by code and HTTP status. Who has proved nothing is counted: otherwise anybody
   * could fill the log.
   */
  refuse(org: string, request: IssuerRequest, code: string, status = 200): Promise<void> {
    const { subject } = request;
    const known = subject !== undefined;
    return this.write(org, request, {
      action: 'customer.sign_in',
      actor: known ? { type: 'customer', id: subject } : anonymous,
      outcome: { result: faulty.has(code) ? 'failure' : 'denied', status, code },
      counted: !known,
    });
  }

  /**
   * To the public a suspended organization is not there; its log says that somebody still came. One that was made up
   * has no log.
   */
  async refuseAbsent(org: string, request: IssuerRequest): Promise<void> {
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
 * A count stands for many: it names its app alone, and no customer. Where a request came from is told of customers
 * alone.
 */
export function recordOf(
  { info, person, client, subject, credential }: IssuerRequest,
  { action, actor, outcome, counted, changes }: AuditedRequest,
  now: Date,
): Omit<AuditRecord, 'id'> {
  const app: AuditTarget[] =
    client && (!counted || actor.type === 'app') ? [{ type: 'app', id: client.app.clientId }] : [];
  const targets: AuditTarget[] = counted
    ? app
    : [
        ...app,
        ...(subject !== undefined && actor.type === 'app'
          ? [{ type: 'customer', id: subject, dataSubject: subject } as const]
          : []),
        ...(subject !== undefined && credential !== undefined
          ? [{ type: 'credential', id: credential, dataSubject: subject } as const]
          : []),
      ];
  const request = actor.type === 'customer' ? { ...info, ...person } : info;
  return { occurredAt: now.toISOString(), action, actor, targets, outcome, request, ...(changes && { changes }) };
}
