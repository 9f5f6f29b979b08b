// The product's HTTP conventions: order of checks, paths, methods, request ids, traces, security headers.
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callApi, type Client } from '../clients/client.ts';
import { closeConnections, exchange, type Problem, type Reply } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const json = { 'content-type': 'application/json' };

let shop: Client;
let authorization: string;
beforeAll(async () => {
  ({ shop } = await newClients({ shop: {} }));
  authorization = `Bearer ${await shop.token()}`;
});
afterAll(closeConnections);

const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  exchange<Problem>({ origin: stack.gateways[0]!, method, path, headers, ...(body !== undefined && { body }) });

describe('the order of checks', () => {
  const bad: [string, string, Record<string, string>, string][] = [
    ['a body that cannot be read', 'POST', json, '{'],
    ['a body that is invalid', 'POST', json, '{"name":"x"}'],
    ['a body of another type', 'POST', { 'content-type': 'text/plain' }, 'x'],
    ['a body that is too large', 'POST', json, 'x'.repeat(200_000)],
    ['a bad Idempotency-Key', 'POST', { ...json, 'idempotency-key': '' }, '{}'],
  ];
  const offers = (org: string) => `/o/${org}/api/credentials/offers`;

  it.each(bad)(
    '%s: 401 without a token, 403 for another organization, 403 without the scope, and only then its own error',
    async (_, method, headers, body) => {
      const at = (org: string, authorization?: string) =>
        send(method, offers(org), { ...headers, ...(authorization !== undefined && { authorization }) }, body);
      const reader = `Bearer ${await shop.with('issued:read').token()}`;
      expect(await at(shop.app.org)).toMatchObject({ status: 401, body: { code: 'missing_token' } });
      expect(await at(shop.app.org, 'Bearer x')).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
      expect(await at('globex', authorization)).toMatchObject({ status: 403, body: { code: 'wrong_organization' } });
      expect(await at('globex', reader)).toMatchObject({ status: 403, body: { code: 'wrong_organization' } });
      expect(await at(shop.app.org, reader)).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
      expect([400, 413, 415, 422]).toContain((await at(shop.app.org, authorization)).status);
    },
  );

  it.each(['?limit=0', '?foo=1', '?next_page_token=x'])('is the same for the query %s', async (query) => {
    const at = (org: string, headers: Record<string, string> = {}) =>
      send('GET', `/o/${org}/api/credentials/subjects${query}`, headers);
    expect((await at(shop.app.org)).status).toBe(401);
    expect((await at('globex', { authorization })).body.code).toBe('wrong_organization');
    expect(
      (await at(shop.app.org, { authorization: `Bearer ${await shop.with('offers:write').token()}` })).body.code,
    ).toBe('insufficient_scope');
    expect((await at(shop.app.org, { authorization })).status).toBe(400);
  });

  it('is the same for an invalid identifier', async () => {
    const at = (org: string, headers: Record<string, string> = {}) =>
      send('DELETE', `/o/${org}/api/credentials/subjects/x`, headers);
    expect((await at(shop.app.org)).status).toBe(401);
    expect((await at('globex', { authorization })).body.code).toBe('wrong_organization');
    expect(
      (await at(shop.app.org, { authorization: `Bearer ${await shop.with('issued:read').token()}` })).body.code,
    ).toBe('insufficient_scope');
  });
});

describe('a path', () => {
  it.each([
    '/',
    '/o',
    '/o/',
    '/api',
    '/o/acme',
    '/o/acme/api',
    '/o/acme/api/credentials',
    '/o/acme/api/credentials/nothing',
    '/.env',
    '/.git/config',
    '/admin',
    '/metrics',
    '/oauth2',
    '/oauth2/token/x',
    '/docs/assets/nothing.js',
    '/docs/assets/..%2f..%2fpackage.json',
    '/docs/assets/constructor',
  ])('%s without a route is 404', async (path) => {
    for (const headers of [{}, { authorization }] as Record<string, string>[])
      expect(await send('GET', path, headers)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it.each([
    ['/nothing-here', 404, 'There is no page at this address'],
    ['/', 200, 'This is a sign-in service'],
    ['/o/acme', 200, 'Acme signs in its customers here'],
    ['/o/nobody-here', 404, 'No organization has this address'],
    ['/o/nobody-here/authorize?client_id=x', 404, 'No organization has this address'],
  ])('%s opened in a browser is a page with %i and a title', async (path, status, title) => {
    // fetch() cannot do this: it sets Sec-Fetch-Mode: cors.
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(
        stack.baseUrl + path,
        { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-mode': 'navigate' } },
        resolve,
      ).on('error', reject);
    });
    const text = Buffer.concat(await response.toArray()).toString();
    expect([response.statusCode, response.headers['content-type'], text.includes(`<h1>${title}</h1>`)]).toEqual([
      status,
      'text/html; charset=utf-8',
      true,
    ]);
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
    for (const [, asset] of text.matchAll(/href="(\/pages\/[^"]+)"/g))
      expect((await fetch(stack.baseUrl + asset)).status).toBe(200);
  });

  it.each([
    ['PUT', '/credentials/offers', ['POST']],
    ['GET', '/credentials/offers', ['POST']],
    ['POST', '/credentials/subjects', ['GET']],
    ['DELETE', '/credentials/subjects', ['GET']],
    ['PATCH', '/credentials/subjects/00000000-0000-0000-0000-000000000000', ['GET', 'DELETE']],
    ['POST', '/admin/audit/events', ['GET']],
  ])('%s %s is 405 with Allow', async (method, path, allowed) => {
    const { status, body, headers } = await callApi(stack, method, `${shop.api}${path}`, {
      headers: { authorization },
    });
    expect({ status, code: body.code }).toEqual({ status: 405, code: 'method_not_allowed' });
    const allow = headers.allow?.split(/, */) ?? [];
    expect(allow).toEqual(expect.arrayContaining(allowed));
    expect(allow).not.toContain(method);
  });

  it('answers HEAD as GET, without the body', async () => {
    const path = `${shop.api}/credentials/subjects`;
    const head = await send('HEAD', path, { authorization });
    const get = await send('GET', path, { authorization });
    expect({ status: head.status, text: head.text, type: head.headers['content-type'] }).toEqual({
      status: 200,
      text: '',
      type: get.headers['content-type'],
    });
    expect((await send('HEAD', path)).status).toBe(401);
    expect((await send('HEAD', '/o/globex/api/credentials/subjects', { authorization })).status).toBe(403);
  });

  it('has no CORS headers for other origins, on OPTIONS and GET', async () => {
    const { status, headers } = await send('OPTIONS', `${shop.api}/credentials/subjects`, {
      origin: 'https://evil.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    });
    expect([204, 404, 405]).toContain(status);
    expect(headers['access-control-allow-origin']).toBeUndefined();
    const get = await send('GET', `${shop.api}/credentials/subjects`, {
      origin: 'https://evil.example',
      authorization,
    });
    expect(get.headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each(['TRACE', 'CONNECTX', 'PROPFIND', 'LINK'])('is 4xx with the method %s', async (method) => {
    const { status } = await send(method, `${shop.api}/credentials/subjects`, { authorization }).catch(() => ({
      status: 400,
    }));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  /**
   * Spellings that a proxy and Holdfast might read as different paths (Keycloak CVE-2026-0976, NestJS CVE-2026-2293).
   */
  const variants = (path: string) => [
    `${path}/`,
    `${path}//`,
    `/${path}`,
    path.replace('/api/', '//api/'),
    path.replace('/api/', '/./api/'),
    path.replace('/api/', '/x/../api/'),
    path.replace('/api/', '/%2e/api/'),
    path.replace('/api/', '/x/%2e%2e/api/'),
    path.replace('/api/', '/api%2f'),
    path.replace('/api/', '%2fapi/'),
    path.replace('/api/', '/API/'),
    path.replace('/api/', '/%61pi/'),
    path.replace('/api/', '/api;x=1/'),
    path.replace('/api/', '/api%3bx/'),
    `${path};x`,
    `${path};x=y`,
    `${path}%3b`,
    `${path}%20`,
    `${path}%09`,
    `${path}%00`,
    `${path}%0a`,
    `${path}.json`,
    `${path}.`,
    `${path}..`,
    `${path}%2f`,
    `${path}%5c`,
    `${path}\\`,
    path.replace('/o/', '\\o\\'),
    `${path}#x`,
    `${path}%23`,
    `${path}%3f`,
    `${path}%3flimit=1`,
    `${path}&limit=1`,
    path.toUpperCase(),
    `/x/..${path}`,
    `/healthz/..${path}`,
    `/docs/assets/../..${path}`,
    `/healthz%2f..${path}`,
    `/oauth2/token/../..${path}`,
    `${path}%c0%af`,
    `${path}%ef%bc%8f`,
    path.replace('/o/', '/%6f/'),
    path.replace('/o/', '/o%00/'),
    `http://elsewhere.example${path}`,
  ];

  it('in any other spelling is 4xx without a token', async () => {
    for (const path of variants(`${shop.api}/credentials/subjects`)) {
      const { status } = await send('GET', path).catch(() => ({ status: 400 }));
      expect({ path, ok: status >= 400 && status < 500 }).toEqual({ path, ok: true });
    }
  });

  it('in any other spelling is the same route or 4xx, and never reaches another organization', async () => {
    const own = (await shop.list()).text;
    for (const path of variants(`${shop.api}/credentials/subjects`)) {
      const reply: Pick<Reply, 'status' | 'text'> = await send('GET', path, { authorization }).catch(() => ({
        status: 400,
        text: '',
      }));
      expect({
        path,
        ok: reply.status === 200 ? reply.text === own : reply.status >= 400 && reply.status < 500,
      }).toEqual({ path, ok: true });
    }
    for (const path of variants('/o/globex/api/credentials/subjects')) {
      const { status } = await send('GET', path, { authorization }).catch(() => ({ status: 400 }));
      expect({ path, ok: status >= 400 && status < 500 }).toEqual({ path, ok: true });
    }
  });

  it('in any other spelling erases no customer without a token', async () => {
    const { body } = await shop.offer();
    const path = `${shop.api}/credentials/subjects/${body.subject}`;
    for (const variant of [...variants(path), `${path}?x=1`]) {
      const { status } = await send('DELETE', variant).catch(() => ({ status: 400 }));
      expect({ variant, ok: status >= 400 && status < 500 }).toEqual({ variant, ok: true });
    }
    expect((await shop.get(body.subject)).status).toBe(200);
  });

  it.each(['/%', '/%zz', '/o/%E0%A4%A/api/credentials/subjects', '/%ff', '/o/acme%/api'])(
    '%s, which cannot be decoded, is 4xx with a problem',
    async (path) => {
      const { status, headers, body } = await send('GET', path, { authorization });
      expect([400, 403, 404]).toContain(status);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(headers['x-request-id']).toBe(body.requestId);
    },
  );
});

describe('malformed HTTP', () => {
  const host = new URL(stack.gateways[0]!);

  function raw(text: string): Promise<string> {
    return new Promise((resolve) => {
      let received = '';
      const socket = connect({ host: host.hostname, port: Number(host.port) }, () => socket.write(text, 'latin1'));
      socket.setTimeout(3000, () => socket.destroy());
      // The server closes the connection after it has answered everything that was sent.
      socket.once('data', () => socket.end());
      socket.on('data', (chunk) => (received += chunk.toString('latin1')));
      socket.on('error', () => resolve(received));
      socket.on('close', () => resolve(received));
    });
  }

  const path = '/o/acme/api/credentials/offers';
  it.each([
    [
      'both lengths',
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n` +
        'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    ['two lengths', `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`],
    ['a negative length', `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n{}`],
    ['a length of letters', `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2x\r\n\r\n{}`],
    ['a folded header', `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer\r\n x\r\n\r\n`],
    ['a space before the colon', `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization : Bearer x\r\n\r\n`],
    ['a zero byte in a header', `GET ${path} HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n`],
    ['a bad chunk', `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['an unknown encoding', `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['no version', `GET ${path}\r\nHost: x\r\n\r\n`],
    ['a header of 100 kB', `GET ${path} HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['a path of 100 kB', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('with %s is 4xx with a problem, and no second response follows', async (_, text) => {
    const received = await raw(text);
    expect(received).not.toMatch(/HTTP\/1\.1 [25]/);
    expect(received).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(received).toMatch(/content-type: application\/problem\+json/i);
  });
});

describe('every response', () => {
  const responses = () =>
    Promise.all([
      send('GET', `${shop.api}/credentials/subjects`, { authorization }),
      send('GET', `${shop.api}/credentials/subjects`),
      send('GET', '/nothing'),
      send('PUT', `${shop.api}/credentials/subjects`),
      send('GET', '/%zz'),
      send('POST', `${shop.api}/credentials/offers`, { authorization, ...json }, '{'),
      send('POST', '/oauth2/token'),
      send('GET', '/openapi.json'),
      send('GET', '/docs'),
    ]);

  it('has the security headers and none that names software', async () => {
    for (const { headers, status } of await responses()) {
      expect({
        status,
        nosniff: headers['x-content-type-options'],
        referrer: headers['referrer-policy'],
        frames: headers['x-frame-options'],
      }).toEqual({ status, nosniff: 'nosniff', referrer: 'no-referrer', frames: 'DENY' });
      for (const name of ['x-powered-by', 'server', 'via']) expect(headers[name]).toBeUndefined();
    }
  });

  it('has its own request id', async () => {
    const ids = (await responses()).map(({ headers }) => headers['x-request-id']);
    for (const id of ids) expect(id).toMatch(uuid);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(['a', 'my-request.1_2', 'A'.repeat(128)])('has the request id %s when the caller chose it', async (id) => {
    for (const path of [`${shop.api}/credentials/subjects`, '/nothing', '/openapi.json']) {
      const { headers } = await send('GET', path, { 'x-request-id': id });
      expect(headers['x-request-id']).toBe(id);
      expect(headers['holdfast-request-id']).toMatch(uuid);
    }
    for (const path of [`${shop.api}/credentials/subjects`, '/nothing']) {
      const { body } = await send('GET', path, { 'x-request-id': id });
      expect(body).toMatchObject({ requestId: id, instance: expect.stringContaining(id) });
    }
    expect((await send('POST', '/oauth2/token', { 'x-request-id': id })).headers['x-request-id']).toBe(id);
  });

  it.each([
    '',
    'a b',
    'a,b',
    '"a"',
    'ä',
    'a'.repeat(129),
    '<script>',
    '../x',
    'a;b',
    '{"a":1}',
    'a:b',
    "a' OR 1=1 --",
    'a\tb',
  ])('has a generated request id when the caller sends %j', async (id) => {
    for (const [method, path] of [
      ['GET', `${shop.api}/credentials/subjects`],
      ['POST', '/oauth2/token'],
    ] as const) {
      const { headers } = await send(method, path, { 'x-request-id': Buffer.from(id).toString('latin1') });
      expect(headers['x-request-id']).toMatch(uuid);
    }
  });

  it('continues a trace with its own span', async () => {
    const trace = 'abcdef0123456789abcdef0123456789';
    const { headers } = await send('GET', `${shop.api}/credentials/subjects`, {
      traceparent: `00-${trace}-1234567890abcdef-01`,
    });
    expect(headers.traceparent).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-0[01]$`));
    expect(headers.traceparent).not.toContain('1234567890abcdef');
  });

  it.each([
    '',
    'x',
    '00-0-0-00',
    `00-${'0'.repeat(32)}-1234567890abcdef-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-1234567890abcdef-01`,
    `00-${'G'.repeat(32)}-1234567890abcdef-01`,
    `00-${'A'.repeat(32)}-1234567890abcdef-01`,
  ])('begins a new trace when the caller sends %j', async (traceparent) => {
    const { headers } = await send('GET', `${shop.api}/credentials/subjects`, { traceparent });
    expect(headers.traceparent).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/);
    expect(headers.traceparent?.slice(3, 35)).not.toBe(traceparent.slice(3, 35));
  });

  it('has the API version of the app when the request was accepted', async () => {
    const { headers } = await shop.list();
    expect(headers['api-version']).toMatch(/^\d{4}-\d\d-\d\d$/);
  });
});

describe('a problem', () => {
  it('has all of its members and a documented type', async () => {
    const { body, headers } = await shop.get<Problem>('00000000-0000-0000-0000-000000000000');
    expect(body).toEqual({
      type: `${stack.baseUrl}/docs/errors#unknown_subject`,
      title: expect.any(String),
      status: 404,
      detail: expect.any(String),
      instance: expect.any(String),
      code: 'unknown_subject',
      requestId: headers['x-request-id'],
    });
    const { pathname, hash } = new URL(body.type);
    const page = await send('GET', pathname);
    expect(page.status).toBe(200);
    expect(page.text).toContain(`id="${hash.slice(1)}"`);
  });

  it('does not repeat what the caller sent', async () => {
    for (const path of [
      `/o/<script>alert(1)</script>/api/credentials/subjects`,
      `/canary<script>`,
      `${shop.api}/credentials/subjects?canary=<script>`,
    ]) {
      const { text } = await send('GET', path, { authorization }).catch(() => ({ text: '' }));
      expect(text).not.toContain('<script>');
    }
  });
});
