import { Inject, Injectable } from '@nestjs/common';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import type { AuditRecord } from '@holdfast/contracts';
import { CLOCK, newId, type Clock } from '@holdfast/platform';
import type { IssuerRequest } from '../request-context/issuer-request.js';

/** Codes that say "you may not", where the others say "this does not work". */
const denials = ['invalid_client', 'invalid_scope', 'unauthorized_client', 'unsupported_grant_type', 'invalid_target'];

export interface TokenAnswer {
  status: number;
  /** OAuth error code; none on success. */
  error?: string;
  scope?: string;
}

/** What the organization's log says of a token request. */
export function tokenRecord(
  { info, client }: IssuerRequest,
  { status, error, scope }: TokenAnswer,
  now: Date,
): Omit<AuditRecord, 'id'> {
  const { clientId, name } = client!.app;
  const result = !error ? 'success' : denials.includes(error) ? 'denied' : 'failure';
  return {
    occurredAt: now.toISOString(),
    action: 'token.issue',
    actor: { type: 'app', id: clientId, name },
    targets: [{ type: 'app', id: clientId }],
    outcome: { result, status, ...(error && { code: error }) },
    request: info,
    ...(scope && { changes: { scope: { to: scope } } }),
  };
}

@Injectable()
export class TokenAudit {
  constructor(
    private readonly writer: AuditWriter,
    private readonly deniedRequests: DeniedRequestCounter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the answer may leave: its record has its place. A caller that did not prove to be the app is counted
   * instead, or anybody could fill an organization's log; one that names no app of ours concerns no organization.
   */
  async record(request: IssuerRequest, answer: TokenAnswer): Promise<void> {
    if (!request.client) return;
    const record = tokenRecord(request, answer, this.clock.now());
    if (request.secretId === undefined)
      await this.deniedRequests.count(request.client.app.org, record, request.network);
    else await this.writer.append(request.client.app.org, { ...record, id: newId() });
  }
}
