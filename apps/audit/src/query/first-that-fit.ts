import type { AuditEvent } from '@holdfast/contracts';

/** Half of the maximum size of a bus message, since the size is estimated. */
const maxReplyBytes = 500_000;

/** The first events that fit into one reply. At least one: each event came in one message, so each fits into one. */
export function firstThatFit(events: AuditEvent[]): AuditEvent[] {
  let bytes = 0;
  const end = events.findIndex(
    (event, i) => (bytes += Buffer.byteLength(JSON.stringify(event))) > maxReplyBytes && i > 0,
  );
  return end < 0 ? events : events.slice(0, end);
}
