import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { beforeEach, expect, test } from '@jest/globals';
import { requestErrors, requestsTotal } from '@holdfast/service';
import { unroutable } from './unroutable.js';

beforeEach(() => {
  requestsTotal.reset();
  requestErrors.reset();
});

function refuse(code: string): string {
  let sent = '';
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk, _encoding, done) => ((sent += String(chunk)), done()),
  });
  unroutable('https://id.example', () => ({})).clientErrorHandler(
    Object.assign(new Error('unreadable'), { code }),
    socket as Socket,
  );
  return sent;
}

test.each([
  ['HPE_INVALID_METHOD', 400],
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
])('%s is answered and counted as %i of no route', async (code, status) => {
  expect(refuse(code)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const [[total], [error]] = [(await requestsTotal.get()).values, (await requestErrors.get()).values];
  expect(total).toMatchObject({
    value: 1,
    labels: { route: 'unroutable', method: 'none', status, organization: 'none' },
  });
  expect(error).toMatchObject({ value: 1, labels: { route: 'unroutable', status } });
});

test('a connection that was reset is not answered, and not counted', async () => {
  expect(refuse('ECONNRESET')).toBe('');
  expect((await requestsTotal.get()).values).toEqual([]);
});
