import { describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@holdfast/contracts';
import { unavailable } from '@holdfast/platform';
import { eventsAfter, lineOf } from './log-tail.js';

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

describe('lineOf', () => {
  it('names who did what to what, and how it ended unless it succeeded', () => {
    expect(lineOf(eventOf(3))).toBe('3  2026-11-21T09:30:00.000Z  app app_1 (shop)  offer.create customer c, offer o');
    const outcome = { result: 'denied', status: 403, code: 'insufficient_scope', count: 4 } as const;
    expect(lineOf({ ...eventOf(3), targets: [], outcome })).toBe(
      '3  2026-11-21T09:30:00.000Z  app app_1 (shop)  offer.create – denied insufficient_scope × 4',
    );
  });
});
