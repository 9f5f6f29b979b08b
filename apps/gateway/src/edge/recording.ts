import type { FastifyRequest } from 'fastify';
import type { AuditTarget } from '@holdfast/contracts';

/**
 * Who writes the one audit record of a request (product §7). A controller says so in one call, which has all that the
 * record needs; the audit hook refuses to return data of a caller with a token as long as nobody has said it.
 *
 * - `unsaid`: no controller has said it, as of a request that failed before.
 * - `gateway`: the audit hook appends it before the response leaves. `replayed`: nothing was changed, since the
 *   response is that of an earlier request with the same Idempotency-Key.
 * - `handler`: it was committed with the change. `auth`: the response is that of auth, which has recorded the request.
 *   `stream`: it was appended before the first data left.
 */
export type Recording =
  | { by: 'unsaid' }
  | { by: 'gateway'; targets: readonly AuditTarget[]; replayed: boolean }
  | { by: 'handler' }
  | { by: 'auth' }
  | { by: 'stream' };

/** The gateway records it, with these targets. */
export function recordWithTargets(
  { requestContext }: Pick<FastifyRequest, 'requestContext'>,
  targets: readonly AuditTarget[],
  { replayed = false } = {},
): void {
  requestContext.recording = { by: 'gateway', targets, replayed };
}

/** There is a record of it already. */
export function isRecordedBy(
  { requestContext }: Pick<FastifyRequest, 'requestContext'>,
  by: Exclude<Recording['by'], 'unsaid' | 'gateway'>,
): void {
  requestContext.recording = { by };
}

export function hasRecord({ by }: Recording): boolean {
  return by === 'handler' || by === 'auth' || by === 'stream';
}

/** The targets of the gateway's record: none when the request failed before anybody said who records it. */
export function targetsOf(recording: Recording): AuditTarget[] {
  return recording.by === 'gateway' ? [...recording.targets] : [];
}
