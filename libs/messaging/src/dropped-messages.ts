import { messagesDropped } from './metrics.js';

/** Why a message of the bus was not accepted. */
export type DropReason = 'subject' | 'sender' | 'body' | 'handler' | 'connection';

/** Lines per place and reason: a flood of messages must not become a flood of lines. The metric counts each. */
const logIntervalMs = 10_000;

let report: (line: string) => void = () => undefined;
const lastLoggedAt = new Map<string, number>();

/**
 * Where lines of dropped messages go. Not a logger of the framework: the command line listens too, and would load it
 * for nothing.
 */
export function reportDroppedMessages(to: (line: string) => void): void {
  report = to;
}

/**
 * Counts a message that was dropped, and logs the first of each ten seconds. `place` is what we subscribe to, never
 * what a sender chose.
 */
export function countDroppedMessage(place: string, reason: DropReason, detail: string): void {
  messagesDropped.inc({ subject: place, reason });
  const key = `${place} ${reason}`;
  const now = performance.now();
  if (now - (lastLoggedAt.get(key) ?? -Infinity) < logIntervalMs) return;
  lastLoggedAt.set(key, now);
  report(
    `dropped a message at ${place} (${reason}): ${detail}. holdfast_bus_messages_dropped_total counts further ones`,
  );
}
