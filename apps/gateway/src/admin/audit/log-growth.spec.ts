import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { logGrowthSubject } from '@holdfast/contracts';
import type { Bus, Shards } from '@holdfast/messaging';
import { LogGrowth } from './log-growth.js';

describe('LogGrowth', () => {
  let growth: LogGrowth;
  let announce: (grown: [string, number][], shard?: number) => void;
  const never = new AbortController().signal;

  beforeEach(() => {
    const callbacks: ((error: null, message: object) => void)[] = [];
    const connection = {
      subscribe: (_: string, { callback }: { callback: (typeof callbacks)[0] }) => callbacks.push(callback),
    } as unknown as NatsConnection;
    const shards = { onConnected: (listener: (shard: object) => void) => listener({ bus: { connection } }) };
    growth = new LogGrowth({ connection } as Bus, shards as unknown as Shards);
    announce = (grown, shard = 0) =>
      callbacks[shard]!(null, { subject: logGrowthSubject, json: () => grown, string: () => JSON.stringify(grown) });
  });

  it('wakes those who follow a log that has grown beyond their place, on any shard', async () => {
    const [acme, globex] = [growth.follow('acme'), growth.follow('globex')];
    const waiting = [acme.waitBeyond(4, 60_000, never), globex.waitBeyond(4, 50, never)];
    announce([
      ['acme', 4],
      ['globex', 3],
    ]);
    announce([['acme', 5]], 1);
    expect(await Promise.all(waiting)).toEqual([true, false]);
  });

  it('does not wait for growth that was announced between reading and waiting', async () => {
    const follower = growth.follow('acme');
    announce([['acme', 5]]);
    expect(await follower.waitBeyond(4, 60_000, never)).toBe(true);
    expect(await follower.waitBeyond(5, 20, never)).toBe(false);
  });

  it('ends the wait when the reader leaves, and keeps nothing of those who have left', async () => {
    const left = new AbortController();
    const follower = growth.follow('acme');
    const waiting = follower.waitBeyond(4, 60_000, left.signal);
    left.abort();
    expect(await waiting).toBe(false);
    follower.leave();
    expect((growth as unknown as { followers: Map<string, unknown> }).followers.size).toBe(0);
  });
});
