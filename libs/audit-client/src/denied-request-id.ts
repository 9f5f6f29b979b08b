import type { AuditRecord } from '@holdfast/contracts';
import { sha256 } from '@holdfast/platform';

/** The minute of a record, counted since 1970. */
export function minuteOf({ occurredAt }: Pick<AuditRecord, 'occurredAt'>): number {
  return Math.floor(Date.parse(occurredAt) / 60_000);
}

/** Id of a counted denied request: equal for equal actor, route, reason and minute, in every replica. */
export function deniedRequestId(org: string, record: Omit<AuditRecord, 'id'>): string {
  const { action, actor, outcome, request } = record;
  const parts = [
    minuteOf(record),
    org,
    action,
    actor.type,
    actor.id,
    request.method,
    request.route,
    outcome.code ?? '',
  ];
  const hex = sha256(parts.join('\n')).toString('hex');
  // RFC 9562 §5.8: version 8, a custom format.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
