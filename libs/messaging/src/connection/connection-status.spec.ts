import { expect, test } from '@jest/globals';
import { ClosedConnectionError, DrainingConnectionError } from '@nats-io/transport-node';
import { publishHint } from './connection-status.js';

const failing = (error: Error) => ({
  publish: () => {
    throw error;
  },
});

test('publishes as JSON', () => {
  const published: unknown[] = [];
  publishHint({ publish: (...given) => void published.push(given) }, 'feed.x', { a: 1 });
  expect(published).toEqual([['feed.x', '{"a":1}']]);
});

test.each([new ClosedConnectionError(), new DrainingConnectionError()])('drops the message on %s', (error) => {
  expect(() => publishHint(failing(error), 'feed.x', {})).not.toThrow();
});

test('throws on every other error', () => {
  expect(() => publishHint(failing(new Error('max payload')), 'feed.x', {})).toThrow('max payload');
});
