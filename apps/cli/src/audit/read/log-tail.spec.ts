import { describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@holdfast/contracts';
import { unavailable } from '@holdfast/platform';
import { eventsAfter, eventsOfAll, lineOf } from './log-tail.js';

type Tailed = { of: string; event: AuditEvent };

const eventOf = (seq: number): AuditEvent => ({
  id: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03',
  seq,
  occurredAt: '2026-11-21T09:30:00.000Z',
  action: 'offer.create',
  actor: { type: 'app', id: 'app_1', name: 'shop' },
  targets: [
    { type: 'customer', id: 'c' },
    { type: 'offer', id: 'o' },
  ],
  outcome: { result: 'success', status: 201 },
  request: { id: 'r', traceparent: 't', method: 'POST', route: '/' },
});

describe('eventsAfter', () => {
  it('reads page after page to the end', async () => {
    const reads: unknown[] = [];
    const read = (after: number | undefined) => {
      reads.push(after);
      const seq = after! + 1;
      return Promise.resolve({ items: [eventOf(seq)], after: seq, hasMore: seq < 5 });
    };
    const seqs: number[] = [];
    for await (const { seq } of eventsAfter(read, 2, false)) seqs.push(seq);
    expect(seqs).toEqual([3, 4, 5]);
    expect(reads).toEqual([2, 3, 4]);
  });

  it('follows: it waits for new entries, and while audit is unavailable', async () => {
    const replies = [
      { items: [], after: 7, hasMore: false },
      undefined,
      { items: [eventOf(9)], after: 9, hasMore: false },
    ];
    const read = () => {
      const reply = replies.shift();
      return reply ? Promise.resolve(reply) : Promise.reject(unavailable('audit is not running'));
    };
    for await (const { seq } of eventsAfter(read, 2, true)) {
      expect(seq).toBe(9);
      return;
    }
  });

  it('ends with the error when it does not follow', async () => {
    const read = () => Promise.reject(unavailable('audit is not running'));
    await expect(eventsAfter(read, 2, false).next()).rejects.toThrow('audit is not running');
  });
});

describe('eventsOfAll', () => {
  /** Logs by the number of their entries, which the test changes. */
  const logsOf = (ends: Record<string, number>) => {
    const reads: string[] = [];
    return {
      reads,
      ends: () => Promise.resolve(Object.entries(ends)),
      read: (org: string, after: number) => {
        reads.push(`${org} ${after}`);
        return Promise.resolve({ items: [eventOf(after + 1)], after: after + 1, hasMore: after + 1 < ends[org]! });
      },
    };
  };

  it('reads the logs that have grown since, in order, and those that begin later', async () => {
    const ends: Record<string, number> = { acme: 5, globex: 7 };
    const logs = logsOf(ends);
    const events = eventsOfAll(logs, false, true);
    const first = events.next();
    await Promise.resolve();
    Object.assign(ends, { acme: 7, initech: 1 });
    const found = [await first, await events.next(), await events.next()].map(({ value }) => value as Tailed);
    expect(found.map(({ of, event }) => `${of} ${event.seq}`)).toEqual(['acme 6', 'acme 7', 'initech 1']);
    expect(logs.reads).toEqual(['acme 5', 'acme 6', 'initech 0']);
    await events.return(undefined);
  });

  it('from the beginning reads each log to its end, and ends unless it follows', async () => {
    const found: string[] = [];
    for await (const { of, event } of eventsOfAll(logsOf({ acme: 2, globex: 1 }), true, false))
      found.push(`${of} ${event.seq}`);
    expect(found).toEqual(['acme 1', 'acme 2', 'globex 1']);
  });

  it('waits while audit is unavailable, and ends when it is interrupted', async () => {
    const interrupted = new AbortController();
    const logs = logsOf({ acme: 2 });
    let failures = 2;
    const failing = {
      ...logs,
      read: (org: string, after: number) =>
        (failures -= 1) >= 0 ? Promise.reject(unavailable('audit is not running')) : logs.read(org, after),
    };
    const found: number[] = [];
    for await (const { event } of eventsOfAll(failing, true, true, interrupted.signal)) {
      found.push(event.seq);
      if (event.seq === 2) interrupted.abort();
    }
    expect(found).toEqual([1, 2]);
  });
});

describe('lineOf', () => {
  it('names who did what to what, and how it ended unless it succeeded', () => {
    expect(lineOf(eventOf(3))).toBe('3  2026-11-21T09:30:00.000Z  app app_1 (shop)  offer.create customer c, offer o');
    const outcome = { result: 'denied', status: 403, code: 'insufficient_scope', count: 4 } as const;
    expect(lineOf({ ...eventOf(3), targets: [], outcome })).toBe(
      '3  2026-11-21T09:30:00.000Z  app app_1 (shop)  offer.create – denied insufficient_scope × 4',
    );
  });
});
