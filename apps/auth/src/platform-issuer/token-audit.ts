import { Inject, Injectable } from '@nestjs/common';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import type { AuditRecord } from '@holdfast/contracts';
import { CLOCK, newId, type Clock } from '@holdfast/platform';
import type { IssuerRequest } from '../request-context/issuer-request.js';

/** Error codes of denied requests. All others are failures. */
const deniedCodes = [
  'invalid_client',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_target',
  'invalid_dpop_proof',
  'use_dpop_nonce',
];

export interface TokenResponse {
  status: number;
  /** OAuth error code; none on success. */
  error?: string;
  scope?: string;
}

/** What the record of a token request says about it. */
export type TokenRequest = Pick<IssuerRequest, 'info' | 'client' | 'network' | 'presentedClientId' | 'secretId'>;

/** The audit record of a token request. */
function tokenRecord(
  { info, client }: TokenRequest,
  { status, error, scope }: TokenResponse,
  now: Date,
): Omit<AuditRecord, 'id'> {
  const { clientId, name } = client!.app;
  const result = !error ? 'success' : deniedCodes.includes(error) ? 'denied' : 'failure';
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
   * Appends the record of a request; the response leaves after this resolves. A request without authentication is
   * counted instead, since otherwise anybody could fill an organization's log. One for an unknown client concerns no
   * organization. A request that is sent twice over the bus has one id, and so one record.
   */
  async record(request: TokenRequest, response: TokenResponse, id = newId()): Promise<void> {
    if (!request.client) return;
    const record = tokenRecord(request, response, this.clock.now());
    if (request.secretId === undefined)
      await this.deniedRequests.count(request.client.app.org, record, request.network);
    else await this.writer.append(request.client.app.org, { ...record, id });
  }
}
