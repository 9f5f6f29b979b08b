import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { isRepeated, readBody } from './read-body.js';

const sender = (headers: Record<string, string> = {}) =>
  Object.assign(new PassThrough({ highWaterMark: 1_000_000 }), { headers });
const read = (request: PassThrough, limits = { maxBytes: 10, timeoutMs: 10_000 }) =>
  readBody(request as unknown as IncomingMessage, limits);

describe('a body', () => {
  it('is read to its end', async () => {
    const request = sender();
    request.write('abc');
    request.end('def');
    expect((await read(request)).toString()).toBe('abcdef');
  });

  it('is rejected as client_closed_request when the client disconnects, before or during reading', async () => {
    const request = sender();
    const reading = read(request);
    request.write('abc');
    request.destroy(new Error('aborted'));
    await expect(reading).rejects.toMatchObject({ code: 'client_closed_request', status: 499 });
    await expect(read(request)).rejects.toMatchObject({ code: 'client_closed_request' });
  });

  it('is rejected as request_timeout when it does not arrive in time', async () => {
    const request = sender();
    request.write('abc');
    await expect(read(request, { maxBytes: 10, timeoutMs: 5 })).rejects.toMatchObject({
      code: 'request_timeout',
      status: 408,
    });
  });

  it.each([
    ['announced', { 'content-length': '11' }],
    ['not announced', {}],
  ])('is rejected when it is too large, %s, and the connection stays open for the response', async (_, headers) => {
    const request = sender(headers);
    request.write('x'.repeat(11));
    await expect(read(request)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(request.destroyed).toBe(false);
  });

  it('that does not end after its rejection loses the connection', async () => {
    const request = sender({ 'content-length': '100000000' });
    await expect(read(request)).rejects.toMatchObject({ code: 'payload_too_large' });
    for (let sent = 0; sent < 3_000_000 && !request.destroyed; sent += 500_000) {
      request.write(Buffer.alloc(500_000));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(request.destroyed).toBe(true);
  });
});

describe('a repeated header', () => {
  const raw = (...rawHeaders: string[]) => ({ rawHeaders }) as IncomingMessage;
  it('is found in any case', () => expect(isRepeated(raw('Host', 'a', 'X', 'host', 'hoST', 'b'), 'host')).toBe(true));
  it('is not mistaken for a value or another name', () =>
    expect(isRepeated(raw('Host', 'host', 'X-Host', 'host'), 'host')).toBe(false));
});
