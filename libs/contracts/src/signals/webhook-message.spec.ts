import { describe, expect, it, test } from '@jest/globals';
import { eventTypes } from '../events/event-types.js';
import { publicEventTypes } from './signals.js';
import { sampleMessageOf, webhookMessageOf } from './webhook-message.js';

const source = 'https://id.example.com/o/acme';

describe('the sample of a type', () => {
  test.each(publicEventTypes)('%s has data of its schema', (type) => {
    const { data } = sampleMessageOf(type, source);
    expect(eventTypes[type].data!.safeParse(data)).toMatchObject({ success: true });
  });
});

describe('a message', () => {
  const event = { id: 'e', seq: 7, type: 'app.created', occurredAt: '2026-11-21T09:41:12.345Z', version: 3 } as const;

  it('has a sequence that sorts as the place in the feed', () => {
    const sequenceOf = (seq: number) => webhookMessageOf({ ...event, seq, data: {} }, source).sequence;
    expect([10, 9, 100].map(sequenceOf).sort()).toEqual([9, 10, 100].map(sequenceOf));
  });

  it('has a subject only when it is about a customer', () => {
    expect(webhookMessageOf({ ...event, data: { subject: 's' } }, source).subject).toBe('s');
    expect(webhookMessageOf({ ...event, data: { app: 'a' } }, source)).not.toHaveProperty('subject');
  });
});
