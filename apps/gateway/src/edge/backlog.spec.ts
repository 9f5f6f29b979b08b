import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { HttpObserver, ObservedRequest } from '@holdfast/service';
import { declaredEndpoints } from '../declared-endpoints.js';
import { sendRequest } from '../http-client.fixture.js';
import { Backlog, overloadListener, shedBacklog } from './backlog.js';
import { rawErrorWriter } from './problems/raw-error.js';

let now = 0;
let server: Server;
let release!: () => void;
let observed: ObservedRequest[] = [];

/** A backlog whose timer never fires, so that the test sets its age through `now`. */
class LateBacklog extends Backlog {
  override tick(): void {
    // The test moves the time.
  }
}

beforeAll(async () => {
  const held = new Promise<void>((resolve) => (release = resolve));
  server = createServer(
    (req, res) => void (req.url === '/held' ? held : Promise.resolve()).then(() => res.end('done')),
  );
  const observer = { observe: (one: ObservedRequest) => void observed.push(one) } as unknown as HttpObserver;
  const writeError = rawErrorWriter('https://id.example', ({ requestId, responseIds }) => ({
    'x-request-id': responseIds.requestId,
    'holdfast-request-id': requestId,
    'cache-control': 'no-store',
  }));
  shedBacklog(server, 100, overloadListener(declaredEndpoints(), writeError, observer), new LateBacklog(() => now));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  observed = [];
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}
const request = (path: string, { method = 'GET', headers = {}, body = '' }: RequestOptions = {}) =>
  sendRequest(server.address() as AddressInfo, method, path, headers, body);
const statusOf = async (path: string, options?: RequestOptions) => (await request(path, options)).status;

describe('a gateway whose event loop is late', () => {
  test('answers requests while few are in flight', async () => {
    now = 1000;
    expect(await statusOf('/quick')).toBe(200);
  });

  test('sheds requests while many are in flight, except probes and navigations, until it has caught up', async () => {
    now = 0;
    const held = Array.from({ length: 64 }, () => statusOf('/held'));
    while (
      (await new Promise<number>((resolve, reject) =>
        server.getConnections((error, n) => (error ? reject(error) : resolve(n))),
      )) < 64
    )
      await statusOf('/quick');
    await statusOf('/quick');
    now = 121;
    expect([
      await statusOf('/o/acme/api/credentials/subjects?limit=1'),
      await statusOf('/healthz'),
      await statusOf('/readyz?verbose'),
    ]).toEqual([503, 200, 200]);
    expect(await statusOf('/o/acme/authorize?x=1', { headers: { 'sec-fetch-mode': 'navigate' } })).toBe(200);
    expect(observed).toMatchObject([
      {
        method: 'GET',
        route: 'shed',
        status: 503,
        code: 'unavailable',
        origin: { dependency: 'admission', cause: 'overloaded' },
      },
    ]);

    const api = await request('/o/acme/api/credentials/offers', {
      method: 'POST',
      body: '{}',
      headers: { 'x-request-id': 'mine' },
    });
    expect(api.headers).toMatchObject({
      'x-request-id': 'mine',
      'content-type': 'application/problem+json; charset=utf-8',
      'retry-after': '1',
      'cache-control': 'no-store',
    });
    expect(JSON.parse(api.body)).toMatchObject({ code: 'unavailable', status: 503, requestId: 'mine' });
    for (const path of ['/oauth2/token', '/o/acme/token', '/o/acme/userinfo?x']) {
      expect(JSON.parse((await request(path, { method: 'POST', body: 'a=b' })).body)).toMatchObject({
        error: 'temporarily_unavailable',
      });
    }

    now = 119;
    expect(await statusOf('/quick')).toBe(200);
    release();
    expect(await Promise.all(held)).toEqual(Array(64).fill(200));
  });
});
