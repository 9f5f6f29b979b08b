import { describe, expect, it } from '@jest/globals';
import { eachItem } from './each-item.js';
import { ApiError, UnavailableError } from './errors.js';
import { followEvents } from './follow-events.js';
import { holdfastClient, type Holdfast } from './holdfast-client.js';

interface Sent {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}
interface Client {
  holdfast: Holdfast;
  sent: Sent[];
  scopes: string[];
}
type Responder = (sent: Sent) => Response | Promise<Response>;

const baseUrl = 'https://id.example';
const metadata = () => Response.json({ issuer: baseUrl, token_endpoint: `${baseUrl}/oauth2/token` });
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ type: `${baseUrl}/docs/errors#${code}`, title: code, status, code }, { status, headers });

/** A client whose requests to the API get these responses in turn; metadata and tokens are answered beside. */
function clientOf(...responders: Responder[]): Client {
  return clientWithin(10_000, ...responders);
}

function clientWithin(timeoutMs: number, ...responders: Responder[]): Client {
  const sent: Sent[] = [];
  const scopes: string[] = [];
  const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    if (pathname.startsWith('/.well-known/')) return metadata();
    const body = await request.text();
    if (pathname === '/oauth2/token') {
      scopes.push(new URLSearchParams(body).get('scope')!);
      return Response.json({ access_token: `token-${scopes.length}`, token_type: 'bearer', expires_in: 600 });
    }
    const one = { method: request.method, path: pathname + search, headers: request.headers, body };
    sent.push(one);
    return responders.shift()!(one);
  };
  const app = { clientId: 'app_1', clientSecret: 's' };
  const holdfast = holdfastClient({ baseUrl, organization: 'acme', ...app, timeoutMs, fetch });
  return { holdfast, sent, scopes };
}

const offer = { subject: 's', claimUrl: 'u' };
const wait = { 'retry-after': '0' };

describe('a call', () => {
  it('sends path, query and body with a token for its operation, and returns the JSON', async () => {
    const { holdfast, sent, scopes } = clientOf(
      () => Response.json(offer, { status: 201 }),
      () => Response.json({ items: [], hasMore: false }),
      () => new Response(null, { status: 204 }),
      () => new Response(null, { status: 204 }),
    );
    expect(await holdfast.createOffer({ body: { offerExpiresIn: 60 } })).toEqual(offer);
    expect(await holdfast.listSubjects({ query: { limit: 7 } })).toEqual({ items: [], hasMore: false });
    expect(await holdfast.withdrawOffer({ path: { offerId: 'a/b' } })).toBeUndefined();
    await holdfast.eraseSubject({ path: { subject: 's' }, idempotencyKey: 'mine', requestId: 'r' });
    expect(sent.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/o/acme/api/credentials/offers', '{"offerExpiresIn":60}'],
      ['GET', '/o/acme/api/credentials/subjects?limit=7', ''],
      ['DELETE', '/o/acme/api/credentials/offers/a%2Fb', ''],
      ['DELETE', '/o/acme/api/credentials/subjects/s', ''],
    ]);
    expect(scopes).toEqual(['offers:write', 'issued:read', 'issued:manage']);
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer token-1',
      'Bearer token-2',
      'Bearer token-1',
      'Bearer token-3',
    ]);
    expect(sent[0]!.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/);
    expect(sent[1]!.headers.get('idempotency-key')).toBeNull();
    expect([sent[3]!.headers.get('idempotency-key'), sent[3]!.headers.get('x-request-id')]).toEqual(['mine', 'r']);
  });

  it.each(['', '..', undefined])('does not send a request whose path has %p', async (offerId) => {
    const { holdfast, sent } = clientOf();
    await expect(holdfast.getOffer({ path: { offerId: offerId! } })).rejects.toThrow(TypeError);
    expect(sent).toEqual([]);
  });

  it('throws the code of a problem, and does not repeat what was rejected', async () => {
    const { holdfast, sent } = clientOf(() => problem(409, 'invalid_state', { 'x-request-id': 'r1' }));
    const error = await holdfast.createOffer().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 409, code: 'invalid_state', requestId: 'r1' });
    expect(sent).toHaveLength(1);
  });

  it('repeats with the same key what could not be answered, and a 429 after its Retry-After', async () => {
    const { holdfast, sent } = clientOf(
      () => problem(503, 'unavailable', wait),
      () => Promise.reject(new TypeError('connection reset')),
      () => problem(429, 'rate_limited', wait),
      () => problem(409, 'idempotency_in_progress', wait),
      () => Response.json(offer, { status: 201 }),
    );
    expect(await holdfast.createOffer()).toEqual(offer);
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1);
  });

  it('repeats what was cut off in the middle of its response', async () => {
    const cutOff = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"subject":'));
        controller.error(new TypeError('terminated'));
      },
    });
    const { holdfast, sent } = clientOf(
      () => new Response(cutOff, { status: 201 }),
      () => Response.json(offer, { status: 201 }),
    );
    expect(await holdfast.createOffer()).toEqual(offer);
    expect(sent).toHaveLength(2);
  });

  it('does not repeat a change without a key whose outcome is unknown', async () => {
    const { holdfast, sent } = clientOf(() => problem(503, 'unavailable', wait));
    await expect(holdfast.pollSsfStream({ path: { id: 's' }, body: { ack: ['j'] } })).rejects.toThrow(UnavailableError);
    expect(sent).toHaveLength(1);
  });

  it('does not wait for longer than half a minute, and tells how long Holdfast asks for', async () => {
    const { holdfast } = clientOf(() => problem(503, 'unavailable', { 'retry-after': '3600' }));
    await expect(holdfast.listSubjects()).rejects.toMatchObject({ name: 'UnavailableError', retryAfterMs: 3_600_000 });
  });

  it('gets another token after a 401, and one with the scopes that a 403 names, once', async () => {
    const challenge = (error: string, more = '') => ({ 'www-authenticate': `Bearer error="${error}"${more}` });
    const { holdfast, sent, scopes } = clientOf(
      () => problem(401, 'invalid_token', challenge('invalid_token')),
      () => Response.json(offer, { status: 201 }),
      () => problem(403, 'insufficient_scope', challenge('insufficient_scope', ', scope="issued:manage"')),
      () => Response.json(offer, { status: 201 }),
      () => problem(401, 'invalid_token', challenge('invalid_token')),
      () => problem(401, 'invalid_token', challenge('invalid_token')),
    );
    expect(await holdfast.createOffer()).toEqual(offer);
    expect(await holdfast.createOffer({ body: {} })).toEqual(offer);
    await expect(holdfast.createOffer()).rejects.toMatchObject({ status: 401, code: 'invalid_token' });
    expect(scopes).toEqual(['offers:write', 'offers:write', 'offers:write issued:manage', 'offers:write']);
    expect(sent).toHaveLength(6);
  });

  it('asks for both operations at once for an offer to a known customer', async () => {
    const { holdfast, scopes } = clientOf(() => Response.json(offer, { status: 201 }));
    expect(await holdfast.createOffer({ body: { subject: 's' } })).toEqual(offer);
    expect(scopes).toEqual(['offers:write issued:manage']);
  });

  it('ends with the reason of its signal, also while it waits', async () => {
    const { holdfast } = clientOf(() => problem(503, 'unavailable', { 'retry-after': '20' }));
    const ending = new AbortController();
    const call = holdfast.listSubjects({ signal: ending.signal });
    setTimeout(() => ending.abort(new Error('the process ends')), 10);
    await expect(call).rejects.toThrow('the process ends');
  });

  it('shares one request for a token among calls that begin together', async () => {
    const { holdfast, scopes } = clientOf(...Array.from({ length: 20 }, () => () => Response.json(offer)));
    await Promise.all(Array.from({ length: 20 }, () => holdfast.createOffer()));
    expect(scopes).toEqual(['offers:write']);
  });
});

it('fetch reads a stream for longer than the time limit of a call, and sends a token to no other host', async () => {
  let end: () => void = () => undefined;
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('data: 1\n\n'));
      end = () => controller.close();
    },
  });
  const { holdfast, sent } = clientWithin(200, () => new Response(body));
  const response = await holdfast.fetch('/o/acme/api/admin/audit/stream', 'audit:read');
  setTimeout(end, 500);
  expect(await response.text()).toBe('data: 1\n\n');
  await expect(holdfast.fetch('https://evil.example/', 'audit:read')).rejects.toThrow(TypeError);
  await expect(holdfast.fetch('//evil.example/', 'audit:read')).rejects.toThrow(TypeError);
  expect(sent.map(({ path }) => path)).toEqual(['/o/acme/api/admin/audit/stream']);
});

it('is not made for plain http on another machine, which would show secrets and tokens', () => {
  const app = { organization: 'acme', clientId: 'app_1', clientSecret: 's' };
  expect(() => holdfastClient({ baseUrl: 'http://id.example', ...app })).toThrow(TypeError);
  for (const host of ['localhost:8080', '127.0.0.1', '[::1]:1', 'id.localhost'])
    expect(() => holdfastClient({ baseUrl: `http://${host}`, ...app })).not.toThrow();
});

it('eachItem yields the items of all pages, and reads no page that is not needed', async () => {
  const pages = [
    { items: ['a', 'b'], hasMore: true, nextPageToken: 'second' },
    { items: [], hasMore: true, nextPageToken: 'third' },
    { items: ['c'], hasMore: false },
  ];
  const { holdfast, sent } = clientOf(...pages.map((page) => () => Response.json(page)), () => Response.json(pages[0]));
  const items: unknown[] = [];
  for await (const item of eachItem(holdfast.listSubjects, { query: { limit: 2 } })) items.push(item);
  expect(items).toEqual(['a', 'b', 'c']);
  for await (const _ of eachItem(holdfast.listSubjects)) break;
  expect(sent.map(({ path }) => path.split('?')[1] ?? '')).toEqual([
    'limit=2',
    'limit=2&next_page_token=second',
    'limit=2&next_page_token=third',
    '',
  ]);
});

it('followEvents applies events in order, saves its place, waits out an outage and starts again', async () => {
  const ending = new AbortController();
  const page = (ids: string[], nextPageToken: string, hasMore: boolean) => () =>
    Response.json({ items: ids.map((id) => ({ id })), hasMore, nextPageToken });
  const { holdfast, sent } = clientOf(
    page(['1', '2'], 'second', true),
    ...Array.from({ length: 5 }, () => () => problem(503, 'unavailable', wait)),
    () => problem(410, 'page_token_expired'),
    page(['3'], 'third', false),
    () => {
      ending.abort();
      return Response.json({ items: [{ id: '4' }], hasMore: false, nextPageToken: 'fourth' });
    },
  );
  const log: string[] = [];
  await followEvents(holdfast, {
    cursor: { load: async () => 'first', save: async (cursor) => void log.push(`saved ${cursor}`) },
    apply: ({ id }) => void log.push(id),
    readAgain: async () => void log.push('read again'),
    pollIntervalMs: 1,
    signal: ending.signal,
  });
  expect(log).toEqual(['1', '2', 'saved second', 'read again', '3', 'saved third']);
  expect(sent.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('next_page_token'))).toEqual([
    'first',
    ...Array.from({ length: 6 }, () => 'second'),
    null,
    'third',
  ]);
});
