import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { loadOf } from '@holdfast/messaging';
import type { HttpObserver, ObservedRequest } from '@holdfast/service';
import { eventually } from '@holdfast/testing';
import { RawClient } from '../http-client.fixture.js';
import { Backlog } from './backlog.js';
import { rejectEarly, type Overload } from './early-rejection.js';
import { PacedRejections } from './paced-rejections.js';
import { rawErrorWriter } from './problems/raw-error.js';

/** The test sets how late the event loop is. */
class LateBacklog extends Backlog {
  lateMs = 0;
  override ageMs(): number {
    return this.lateMs;
  }
}

let app: FastifyInstance;
let backlog: LateBacklog;
/** The test sets the time by which rejections are paced. */
let nowMs: number;
let reached: Overload | undefined;
let release: () => void;
let handled: string[];
let observed: ObservedRequest[];

beforeEach(async () => {
  [handled, observed, reached, nowMs] = [[], [], undefined, 0];
  backlog = new LateBacklog();
  const held = new Promise<void>((resolve) => (release = resolve));
  const writeError = rawErrorWriter('https://id.example', ({ requestId, responseIds }) => ({
    'x-request-id': responseIds.requestId,
    'holdfast-request-id': requestId,
    'cache-control': 'no-store',
  }));
  app = fastify();
  rejectEarly(app, {
    maxBacklogMs: 100,
    maxRequests: 70,
    rejections: new PacedRejections(2, () => nowMs),
    limitReached: () => reached,
    errorFormOf: ({ routeOptions }) => (routeOptions.url === '/oauth2/token' ? 'oauth' : 'problem'),
    writeError,
    observer: { observe: (one: ObservedRequest) => void observed.push(one) } as unknown as HttpObserver,
    backlog,
  });
  app.addHook('onRequest', async ({ url }) => void handled.push(url));
  app.get('/held', () => held);
  for (const path of ['/quick', '/healthz', '/readyz', '/o/:shortId/authorize', '/o/:shortId/api/things'])
    app.get(path, async () => 'done');
  app.post('/oauth2/token', async () => 'done');
  await app.ready();
});
afterEach(() => app.close());

const statusOf = async (url: string, headers: Record<string, string> = {}) =>
  (await app.inject({ url, headers })).statusCode;

/** 64 requests in progress. */
async function manyRequests(): Promise<Promise<number>[]> {
  const many = Array.from({ length: 64 }, () => statusOf('/held'));
  while (handled.length < 64) await new Promise((resolve) => setImmediate(resolve));
  return many;
}

describe('a gateway whose event loop is late', () => {
  it('responds to requests while few are in progress', async () => {
    backlog.lateMs = 1000;
    expect(await statusOf('/quick')).toBe(200);
  });

  it('rejects requests while many are in progress, except probes and navigations, until it has caught up', async () => {
    const many = await manyRequests();
    backlog.lateMs = 101;
    expect([await statusOf('/quick'), await statusOf('/healthz'), await statusOf('/readyz?verbose')]).toEqual([
      503, 200, 200,
    ]);
    expect(await statusOf('/o/acme/authorize?x=1', { 'sec-fetch-mode': 'navigate' })).toBe(200);
    backlog.lateMs = 99;
    expect(await statusOf('/quick')).toBe(200);
    release();
    expect(await Promise.all(many)).toEqual(Array(64).fill(200));
  });
});

describe('a gateway with as many requests in progress as it may have', () => {
  it('rejects further ones until one has ended', async () => {
    const many = [...(await manyRequests()), ...Array.from({ length: 6 }, () => statusOf('/held'))];
    while (handled.length < 70) await new Promise((resolve) => setImmediate(resolve));
    expect([await statusOf('/quick'), await statusOf('/healthz')]).toEqual([503, 200]);
    release();
    await Promise.all(many);
    expect(await statusOf('/quick')).toBe(200);
  });

  it('does not count requests whose body has not arrived', async () => {
    const { port } = (await app.listen({ port: 0, host: '127.0.0.1' }), app.server.address() as AddressInfo);
    const slow = Array.from(
      { length: 80 },
      () =>
        new RawClient(
          { port },
          'POST /oauth2/token HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\n',
        ),
    );
    await eventually(() => handled.length === 80);
    expect(await statusOf('/quick')).toBe(200);
    for (const { socket } of slow) socket.destroy();
  });
});

describe('a request that a limit would reject later', () => {
  it.each(['service', 'auth'] as const)('is 503 before any other hook: %s', async (overload) => {
    reached = overload;
    const response = await app.inject({ url: '/o/acme/api/things', headers: { 'x-request-id': 'mine' } });
    expect(response.headers).toMatchObject({
      'x-request-id': 'mine',
      'content-type': 'application/problem+json; charset=utf-8',
      'retry-after': '1',
      'cache-control': 'no-store',
    });
    expect(response.json()).toMatchObject({ code: 'unavailable', status: 503, requestId: 'mine' });
    expect(handled).toEqual([]);
    expect(observed).toMatchObject([
      {
        method: 'GET',
        route: '/o/{shortId}/api/things',
        status: 503,
        code: 'unavailable',
        origin: { dependency: 'admission', cause: 'overloaded' },
      },
    ]);
    reached = undefined;
    expect(await statusOf('/o/acme/api/things')).toBe(200);
  });

  it('counts as load of this replica if more replicas would have served it', async () => {
    reached = 'service';
    await statusOf('/quick');
    expect(loadOf('requests').ratio).toBeGreaterThan(1);
  });

  it('is 429 with Retry-After when its network has too many requests of its own', async () => {
    reached = 'network';
    const { statusCode, headers } = await app.inject({ url: '/quick' });
    expect([statusCode, headers['retry-after']]).toEqual([429, '1']);
  });

  it('gets an error in the form of its endpoint, and its body is not parsed', async () => {
    reached = 'auth';
    const response = await app.inject({ method: 'POST', url: '/oauth2/token', payload: '{"a' });
    expect([response.statusCode, response.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }]);
  });

  it('reaches its route as a probe or navigation of a person', async () => {
    reached = 'auth';
    expect(await statusOf('/healthz')).toBe(200);
    expect(await statusOf('/o/acme/authorize?x=1', { 'sec-fetch-mode': 'navigate' })).toBe(200);
  });
});

describe('a gateway that has rejected as many requests as it responds to in a second', () => {
  const request = () => new RawClient(address(), `GET /quick HTTP/1.1\r\nHost: x\r\n\r\n`);
  const address = () => app.server.address() as AddressInfo;
  const answered = (clients: RawClient[]) => clients.filter(({ text }) => text.startsWith('HTTP/1.1 503 ')).length;
  let clients: RawClient[];

  beforeEach(async () => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    let arrived = 0;
    app.server.on('request', () => (arrived += 1));
    reached = 'service';
    clients = Array.from({ length: 6 }, () => request());
    await eventually(() => arrived === 6 && answered(clients) === 2);
  });
  afterEach(() => clients.forEach(({ socket }) => socket.destroy()));

  it('responds to the others later, two a second, and to probes and served requests at once', async () => {
    expect([await statusOf('/healthz'), answered(clients)]).toEqual([200, 2]);
    reached = undefined;
    expect([await statusOf('/quick'), answered(clients)]).toEqual([200, 2]);
    nowMs = 1000;
    await eventually(() => answered(clients) === 4);
    nowMs = 2000;
    await eventually(() => answered(clients) === 6);
    expect(observed.map(({ status }) => status)).toEqual(Array(6).fill(503));
    expect(clients.every(({ closed }) => !closed)).toBe(true);
  });

  it('responds to the others when it stops, and closes their connections', async () => {
    await app.close();
    await eventually(() => clients.every(({ closed }) => closed));
    expect(answered(clients)).toBe(6);
    expect(clients.filter(({ text }) => text.toLowerCase().includes('connection: close'))).toHaveLength(4);
  });
});
