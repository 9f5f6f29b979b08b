import { messagesDropped } from '../telemetry/metrics.js';

/** Why a NATS message was not accepted. */
export type DropReason = 'subject' | 'sender' | 'body' | 'handler' | 'connection' | 'shard';

/** At most one line per subscription and reason in this time, so that a flood of messages does not flood the log. */
const logIntervalMs = 10_000;

let report: (line: string) => void = () => undefined;
const lastLoggedAt = new Map<string, number>();

/** Sets where lines about dropped messages go. It is a plain function, so that the CLI does not load Nest's logger. */
export function reportDroppedMessages(to: (line: string) => void): void {
  report = to;
}

/**
 * Counts a dropped message and logs the first one of each ten seconds. `subscription` is the subject that this process
 * subscribed to, never text of the sender: it is a label of the metric.
 */
export function countDroppedMessage(subscription: string, reason: DropReason, detail: string): void {
  messagesDropped.inc({ subject: subscription, reason });
  const key = `${subscription} ${reason}`;
  const now = performance.now();
  if (now - (lastLoggedAt.get(key) ?? -Infinity) < logIntervalMs) return;
  lastLoggedAt.set(key, now);
  report(
    `dropped a message at ${subscription} (${reason}): ${detail}. ` +
      'holdfast_bus_messages_dropped_total counts further ones',
  );
}
