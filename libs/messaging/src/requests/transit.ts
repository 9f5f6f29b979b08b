import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** When a request was sent, by the sender's clock, and how long the sender waits. Part of every request. */
export const transitSchema = z.object({
  sender: z.string().max(64),
  sentAtMs: z.number(),
  timeoutMs: z.number().min(0).max(600_000),
});
export type Transit = z.infer<typeof transitSchema>;

/** Identifies this process, whose clock the times refer to. */
const sender = randomUUID();

/** Monotonic, so that a correction of the system time changes no deadline. */
const nowMs = () => performance.timeOrigin + performance.now();

export function newTransit(timeoutMs: number): Transit {
  return { sender, sentAtMs: nowMs(), timeoutMs };
}

const windowMs = 60_000;

interface Offset {
  shortest: number;
  shortestBefore: number;
  since: number;
}

/**
 * Measures how long requests waited in transit without comparing the clocks of two machines. The shortest transit of
 * the last one to two minutes counts as zero; whatever a request takes beyond it is waiting time. So a clock that is
 * minutes wrong expires no request.
 */
export class TransitTimes {
  private readonly offsets = new LRUCache<string, Offset>({ max: 500 });

  constructor(private readonly now: () => number = nowMs) {}

  /** How much longer the sender waits; 0 or less when its timeout has passed. */
  remainingMs({ sender: from, sentAtMs, timeoutMs }: Transit): number {
    const now = this.now();
    const difference = now - sentAtMs;
    const offset = this.offsets.get(from) ?? { shortest: difference, shortestBefore: difference, since: now };
    if (now - offset.since > windowMs)
      Object.assign(offset, { shortestBefore: offset.shortest, shortest: difference, since: now });
    offset.shortest = Math.min(offset.shortest, difference);
    this.offsets.set(from, offset);
    return timeoutMs - (difference - Math.min(offset.shortest, offset.shortestBefore));
  }
}
