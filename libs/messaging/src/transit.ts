import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** When a request was sent and for how long its sender waits: travels with the packet, in the sender's own time. */
export const transitSchema = z.object({
  sender: z.string().max(64),
  sentAtMs: z.number(),
  timeoutMs: z.number().min(0).max(600_000),
});
export type Transit = z.infer<typeof transitSchema>;

/** Names this process, whose clock its times are of. */
const sender = randomUUID();

/** A clock that never jumps: a correction of the system's time changes no deadline. */
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
 * How long requests were on their way, without trusting that two machines have the same time: the shortest way of the
 * last minute or two counts as none, and what takes longer was waiting. A clock that is off by minutes expires nothing.
 */
export class TransitTimes {
  private readonly offsets = new LRUCache<string, Offset>({ max: 500 });

  constructor(private readonly now: () => number = nowMs) {}

  /** How much longer the sender waits, in ms; 0 or less when it has gone. */
  remainingMs({ sender: from, sentAtMs, timeoutMs }: Transit): number {
    const now = this.now();
    const difference = now - sentAtMs;
    const known = this.offsets.get(from) ?? { shortest: difference, shortestBefore: difference, since: now };
    if (now - known.since > windowMs)
      Object.assign(known, { shortestBefore: known.shortest, shortest: difference, since: now });
    known.shortest = Math.min(known.shortest, difference);
    this.offsets.set(from, known);
    return timeoutMs - (difference - Math.min(known.shortest, known.shortestBefore));
  }
}
