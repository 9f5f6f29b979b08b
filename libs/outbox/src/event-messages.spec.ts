import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxEventsPerMessage } from '@holdfast/contracts';
import { bodyOf, messagesOf } from './event-messages.js';
import type { OutboxRow } from './outbox-row.js';

const batched = ['evt.a', 'evt.b'];
let ids = 0;
const row = (subject: string, aggregate: string, rest: Partial<OutboxRow> = {}): OutboxRow => ({
  id: String((ids += 1)),
  aggregate,
  subject,
  payload: '{}',
  ...rest,
});
const rowOf = fc
  .record({
    subject: fc.constantFrom(...batched, 'evt.alone'),
    aggregate: fc.constantFrom('ada', 'bob', 'cleo', 'dan'),
    payload: fc.constantFrom(2, 40_000, 200_000).map((length) => '"'.padEnd(length, 'x')),
    retries: fc.constantFrom(0, 0, 0, 1),
  })
  .map(({ subject, aggregate, ...rest }) => row(subject, aggregate, rest));
const changesOf = fc.array(fc.array(rowOf, { minLength: 1, maxLength: 4 }), { maxLength: 200 });

describe('the messages of some changes', () => {
  it('have each event once, and share a message only as far as subject, number and size allow', () => {
    fc.assert(
      fc.property(changesOf, (changes) => {
        const messages = messagesOf(changes, batched);
        expect(
          messages
            .flat()
            .map(({ id }) => id)
            .sort(),
        ).toEqual(
          changes
            .flat()
            .map(({ id }) => id)
            .sort(),
        );
        for (const rows of messages.filter(({ length }) => length > 1)) {
          expect(batched).toContain(rows[0]!.subject);
          expect(new Set(rows.map(({ subject }) => subject)).size).toBe(1);
          expect(rows.every(({ retries }) => retries === 0)).toBe(true);
          expect(rows.length).toBeLessThanOrEqual(maxEventsPerMessage);
          expect(bodyOf(rows).length).toBeLessThan(140_000);
        }
      }),
    );
  });

  it('have the events of each change, and those of each aggregate, in their order', () => {
    fc.assert(
      fc.property(changesOf, (changes) => {
        const sent = messagesOf(changes, batched).flat();
        const all = changes.flat();
        const sequences = [...changes, ...Map.groupBy(all, ({ aggregate }) => aggregate).values()];
        for (const sequence of sequences) expect(sent.filter((one) => sequence.includes(one))).toEqual(sequence);
      }),
    );
  });

  it('are as few as possible when all events have one subject', () => {
    const changes = Array.from({ length: 150 }, (_, i) => [row('evt.a', `customer ${i}`)]);
    expect(messagesOf(changes, batched).map(({ length }) => length)).toEqual([64, 64, 22]);
  });

  it('have the event itself as body, or an array of several', () => {
    const rows = [row('evt.a', 'ada', { payload: '{"id":1}' }), row('evt.a', 'bob', { payload: '{"id":2}' })];
    expect(JSON.parse(bodyOf(rows.slice(0, 1)))).toEqual({ id: 1 });
    expect(JSON.parse(bodyOf(rows))).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
