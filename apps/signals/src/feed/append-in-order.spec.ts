import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { appendInOrder, maxWaitMs, type Known, type Progress } from './append-in-order.js';
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
    since: new Date(start),
    erases: false,
    ...given,
  };
}

/** The tables, as far as appendInOrder() looks at them. */
class Feed {
  entries: (PublicEvent & { seq: number })[] = [];
  waiting: PublicEvent[] = [];
  progress = new Map<string, Progress>();

  take(events: PublicEvent[], at = start): string[] {
    const known: Known = {
      heads: new Map([['acme', this.entries.at(-1)?.seq ?? 0]]),
      progress: this.progress,
      appended: new Set(this.entries.map((e) => e.id)),
      waiting: this.waiting,
    };
    const appended = appendInOrder(events, known, new Date(at));
    this.entries = [...this.entries.filter((e) => !appended.erased.has(e.key)), ...appended.entries];
    this.progress = new Map([...this.progress, ...appended.progress]);
    this.waiting = [
      ...this.waiting.filter((w) => !appended.settled.includes(w.id) && !appended.erased.has(w.key)),
      ...appended.waiting,
    ];
    return appended.unordered.map((t) => t.id);
  }

  get ids(): string[] {
    return this.entries.map((e) => e.id);
  }
}

/** What may arrive: each event once or more, in any order, in batches of any size. */
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

describe('places in the feed', () => {
  const three = ['a', 'b', 'c'].flatMap((key) => [1, 2, 3, 4, 5].map((version) => eventOf(key, version)));

  it('are given once and by version, without a gap, however events come', () => {
    fc.assert(
      fc.property(deliveries(three), (batches) => {
        const feed = new Feed();
        for (const batch of batches) expect(feed.take(batch)).toEqual([]);
        expect(feed.entries.map((e) => e.seq)).toEqual(three.map((_, i) => i + 1));
        for (const key of ['a', 'b', 'c'])
          expect(feed.entries.filter((e) => e.key === key).map((e) => e.version)).toEqual([1, 2, 3, 4, 5]);
        expect(feed.waiting).toEqual([]);
      }),
    );
  });

  it('are left to the receipt alone when a customer is erased, however events come', () => {
    const events = [
      ...three,
      eventOf('a', 6, { id: 'erasing', erases: true, data: undefined }),
      eventOf('a', 6, { id: 'receipt', erases: true }),
    ];
    fc.assert(
      fc.property(deliveries(events), (batches) => {
        const feed = new Feed();
        for (const batch of batches) feed.take(batch);
        expect(feed.entries.filter((e) => e.key === 'a').map((e) => e.id)).toEqual(['receipt']);
        expect(feed.entries.filter((e) => e.key !== 'a')).toHaveLength(10);
        expect(feed.waiting).toEqual([]);
      }),
    );
  });

  it('are waited for, a minute and no longer; what then comes late goes in and is reported', () => {
    const feed = new Feed();
    feed.take([eventOf('a', 3), eventOf('a', 5)]);
    expect([feed.ids, feed.waiting.length]).toEqual([[], 2]);
    feed.take([eventOf('b', 1)], start + maxWaitMs - 1);
    expect(feed.ids).toEqual(['b-1']);
    expect(feed.take([], start + maxWaitMs)).toEqual(['a-3', 'a-5']);
    expect(feed.ids).toEqual(['b-1', 'a-3', 'a-5']);
    expect(feed.take([eventOf('a', 4)], start + maxWaitMs)).toEqual(['a-4']);
    expect(feed.take([eventOf('a', 6)], start + maxWaitMs)).toEqual([]);
    expect(feed.ids).toEqual(['b-1', 'a-3', 'a-5', 'a-4', 'a-6']);
  });

  it('are not given to what has no data, which still counts', () => {
    const feed = new Feed();
    const { data: _, ...first } = eventOf('a', 1);
    expect(feed.take([eventOf('a', 2), first])).toEqual([]);
    expect(feed.ids).toEqual(['a-2']);
  });
});
