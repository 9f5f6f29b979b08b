import { describe, expect, it } from '@jest/globals';
import { endToEnd, requestHeaders } from './proxied-headers.js';

const forwarded = { baseUrl: 'https://id.example', address: '192.0.2.7', requestId: 'r', traceparent: 't' };

describe('headers of a proxied request', () => {
  it.each([
    'connection',
    'expect',
    'keep-alive',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'proxy-authorization',
    'proxy-connection',
    'http2-settings',
    'content-length',
  ])('do not include %s, which is about one connection', (name) =>
    expect(requestHeaders({ [name]: 'x', accept: '*/*' }, forwarded)).not.toHaveProperty(name),
  );

  it('do not include headers that Connection names, in any case', () => {
    expect(endToEnd({ connection: 'close, X-Trick ,cookie', 'x-trick': '1', cookie: 'a=b', accept: '*/*' })).toEqual({
      accept: '*/*',
    });
  });

  it.each([
    'x-holdfast-client-address',
    'x-holdfast-caller-request-id',
    'x-holdfast-caller-traceparent',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-holdfast-error',
    'forwarded',
    'x-real-ip',
  ])('do not include the %s of a client', (name) => {
    expect(Object.values(requestHeaders({ [name]: 'evil', host: 'evil' }, forwarded))).not.toContain('evil');
  });

  it('include the client address and host even if Connection names these headers', () => {
    const sent = requestHeaders(
      { connection: 'x-holdfast-client-address, x-forwarded-host', 'x-holdfast-client-address': '203.0.113.1' },
      forwarded,
    );
    expect(sent).toMatchObject({
      'x-holdfast-client-address': '192.0.2.7',
      'x-forwarded-host': 'id.example',
      'x-forwarded-proto': 'https',
      host: 'id.example',
    });
  });

  it('have the ids of the gateway, and those of the caller under other names', () => {
    const sent = requestHeaders(
      { 'x-request-id': 'chosen', traceparent: 'chosen' },
      { ...forwarded, callerId: 'chosen', callerTraceparent: 'chosen too' },
    );
    expect(sent).toMatchObject({
      'x-request-id': 'r',
      traceparent: 't',
      'x-holdfast-caller-request-id': 'chosen',
      'x-holdfast-caller-traceparent': 'chosen too',
    });
  });

  it('include all other headers, with several values too', () => {
    expect(requestHeaders({ cookie: 'a=b', 'set-cookie': ['a', 'b'] }, forwarded)).toMatchObject({
      cookie: 'a=b',
      'set-cookie': ['a', 'b'],
    });
  });
});
