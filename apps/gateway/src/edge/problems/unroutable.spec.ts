import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { beforeEach, expect, test } from '@jest/globals';
import { requestErrors, requestsTotal } from '@holdfast/service';
import { rawErrorWriter } from './raw-error.js';
import { unroutableHandlers } from './unroutable.js';

beforeEach(() => {
  requestsTotal.reset();
  requestErrors.reset();
});

const handlers = unroutableHandlers(
  rawErrorWriter('https://id.example', ({ requestId }) => ({ 'x-request-id': requestId })),
);

/** The bytes that the client gets after an error of its connection. */
function responseTo(code: string): string {
  let sent = '';
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk, _encoding, done) => ((sent += String(chunk)), done()),
  });
  handlers.clientErrorHandler(Object.assign(new Error('unreadable'), { code }), socket as Socket);
  return sent;
}

test.each([
  ['HPE_INVALID_METHOD', 400],
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
])('answers %s with %i and counts it without a route', async (code, status) => {
  const [head, body] = responseTo(code).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\nconnection: close`));
  expect(head).toMatch(/\r\nx-request-id: /);
  expect(JSON.parse(body!)).toMatchObject({ status });
  const [[total], [error]] = [(await requestsTotal.get()).values, (await requestErrors.get()).values];
  expect(total).toMatchObject({
    value: 1,
    labels: { route: 'unroutable', method: 'none', status, organization: 'none' },
  });
  expect(error).toMatchObject({ value: 1, labels: { route: 'unroutable', status } });
});

test('neither answers nor counts a connection that was reset', async () => {
  expect(responseTo('ECONNRESET')).toBe('');
  expect((await requestsTotal.get()).values).toEqual([]);
});
