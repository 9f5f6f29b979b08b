import { describe, expect, it } from '@jest/globals';
import { jitter, parseRecord } from './retry.js';

describe('a stored record', () => {
  it('is parsed when it has the id of its row', () => {
    expect(parseRecord('{"id":"a","action":"subject.read"}', 'a')).toEqual({ id: 'a', action: 'subject.read' });
  });

  it.each(['nonsense', 'null', '{}', '{"id":"b"}'])('is rejected when the row contains %s', (text) =>
    expect(parseRecord(text, 'a')).toBeUndefined(),
  );
});

it.each([
  [0, 1],
  [0.5, 0.875],
  [1, 0.75],
])('the jitter of random value %d shortens a delay to a factor of %d', (random, factor) =>
  expect(jitter(() => random)).toBe(factor),
);
