import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { appendInOrder, maxWaitMs, type FeedState, type Progress } from './append-in-order.js';
import type { PublicEvent } from './public-event.js';

const start = Date.parse('2026-11-21T09:30:00.000Z');

function eventOf(key: string, version: number, given: Partial<PublicEvent> = {}): PublicEvent {
  return {
    id: `${key}-${version}`,
    org: 'acme',
    key,
    type: 'offer.created',
    version,
    occurredAt: new Date(start),
    data: { key, version },
    receivedAt: new Date(start),
    erases: false,
    ...given,
  };
}

/** The tables that appendInOrder() reads and writes, in memory. */
class Feed {
  entries: (PublicEvent & { seq: number })[] = [];
  early: PublicEvent[] = [];
  progress = new Map<string, Progress>();

  /** @returns the ids of events that were appended out of order */
  append(events: PublicEvent[], at = start): string[] {
    const state: FeedState = {
      heads: new Map([['acme', this.entries.at(-1)?.seq ?? 0]]),
      progress: this.progress,
      appended: new Set(this.entries.map((e) => e.id)),
      early: this.early,
    };
    const plan = appendInOrder(events, state, new Date(at));
    this.entries = [...this.entries.filter((e) => !plan.erased.has(e.key)), ...plan.entries];
    this.progress = new Map([...this.progress, ...plan.progress]);
    this.early = [...this.early.filter((e) => !plan.settled.includes(e.id) && !plan.erased.has(e.key)), ...plan.early];
    return plan.unordered.map((e) => e.id);
  }

  get ids(): string[] {
    return this.entries.map((e) => e.id);
  }
}

/** Possible deliveries: each event once or more, in any order, in batches of any size. */
const deliveries = (events: PublicEvent[]) =>
  fc
    .array(fc.constantFrom(...events), { maxLength: 20 })
    .chain((again) =>
      fc.tuple(
        fc.shuffledSubarray([...events, ...again], { minLength: events.length + again.length }),
        fc.integer({ min: 1, max: 7 }),
      ),
    )
    .map(([all, size]) =>
      Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
        all.slice(i * size, (i + 1) * size).map((event) => ({ ...event })),
      ),
    );

describe('appendInOrder', () => {
  const three = ['a', 'b', 'c'].flatMap((key) => [1, 2, 3, 4, 5].map((version) => eventOf(key, version)));

  it('appends each event once, by version and without a gap, for all deliveries', () => {
    fc.assert(
      fc.property(deliveries(three), (batches) => {
        const feed = new Feed();
        for (const batch of batches) expect(feed.append(batch)).toEqual([]);
        expect(feed.entries.map((e) => e.seq)).toEqual(three.map((_, i) => i + 1));
        for (const key of ['a', 'b', 'c'])
          expect(feed.entries.filter((e) => e.key === key).map((e) => e.version)).toEqual([1, 2, 3, 4, 5]);
        expect(feed.early).toEqual([]);
      }),
    );
  });

  it('keeps only the erasure confirmation of an erased customer, for all deliveries', () => {
    const events = [
      ...three,
      eventOf('a', 6, { id: 'erasure started', erases: true, data: undefined }),
      eventOf('a', 6, { id: 'erased', erases: true }),
    ];
    fc.assert(
      fc.property(deliveries(events), (batches) => {
        const feed = new Feed();
        for (const batch of batches) feed.append(batch);
        expect(feed.entries.filter((e) => e.key === 'a').map((e) => e.id)).toEqual(['erased']);
        expect(feed.entries.filter((e) => e.key !== 'a')).toHaveLength(10);
        expect(feed.early).toEqual([]);
      }),
    );
  });

  it('appends an early event after a minute, and late predecessors after it, and reports both', () => {
    const feed = new Feed();
    feed.append([eventOf('a', 3), eventOf('a', 5)]);
    expect([feed.ids, feed.early.length]).toEqual([[], 2]);
    feed.append([eventOf('b', 1)], start + maxWaitMs - 1);
    expect(feed.ids).toEqual(['b-1']);
    expect(feed.append([], start + maxWaitMs)).toEqual(['a-3', 'a-5']);
    expect(feed.ids).toEqual(['b-1', 'a-3', 'a-5']);
    expect(feed.append([eventOf('a', 4)], start + maxWaitMs)).toEqual(['a-4']);
    expect(feed.append([eventOf('a', 6)], start + maxWaitMs)).toEqual([]);
    expect(feed.ids).toEqual(['b-1', 'a-3', 'a-5', 'a-4', 'a-6']);
  });

  it('does not append an event without data, but counts its version', () => {
    const feed = new Feed();
    const { data: _, ...first } = eventOf('a', 1);
    expect(feed.append([eventOf('a', 2), first])).toEqual([]);
    expect(feed.ids).toEqual(['a-2']);
  });
});
