import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpObserver, ObservedRequest } from '@holdfast/bus';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { endpoints } from '../endpoints.js';
import { Backlog, overloaded, refuseBacklog } from './backlog.js';

let now = 0;
let server: Server;
let release!: () => void;
let observed: ObservedRequest[] = [];

/** How long the loop has not come to its timers: they are not run here. */
class Late extends Backlog {
  override tick(): void {
    // The test moves the time.
  }
}

beforeAll(async () => {
  const held = new Promise<void>((resolve) => (release = resolve));
  server = createServer((req, res) => void (req.url === '/held' ? held : Promise.resolve()).then(() => res.end('done')));
  const observer = { observe: (one: ObservedRequest) => void observed.push(one) } as unknown as HttpObserver;
  refuseBacklog(server, 100, overloaded(endpoints, 'https://id.example', ({ requestId, shown }) => ({ 'x-request-id': shown.requestId, 'holdfast-request-id': requestId, 'cache-control': 'no-store' }), observer), new Late(() => now));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  observed = [];
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

function ask(path: string, { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: Record<string, string>; body?: string } = {}): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
    }).on('error', reject).end(body);
  });
}
const statusOf = async (path: string, options?: Parameters<typeof ask>[1]) => (await ask(path, options)).status;

describe('a gateway whose event loop is behind', () => {
  test('goes on as long as few requests are under way', async () => {
    now = 1000;
    expect(await statusOf('/quick')).toBe(200);
  });

  test('refuses what comes while many are, but probes and people, and takes it again when it has caught up', async () => {
    now = 0;
    const held = Array.from({ length: 64 }, () => statusOf('/held'));
    while ((await new Promise<number>((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))))) < 64) await statusOf('/quick');
    await statusOf('/quick');
    now = 121;
    expect([await statusOf('/o/acme/api/credentials/subjects?limit=1'), await statusOf('/healthz'), await statusOf('/readyz?verbose')]).toEqual([503, 200, 200]);
    expect(await statusOf('/o/acme/authorize?x=1', { headers: { 'sec-fetch-mode': 'navigate' } })).toBe(200);
    expect(observed).toMatchObject([{ method: 'GET', route: 'shed', status: 503, code: 'unavailable', origin: { dependency: 'admission', cause: 'overloaded' } }]);

    const api = await ask('/o/acme/api/credentials/offers', { method: 'POST', body: '{}', headers: { 'x-request-id': 'mine' } });
    expect(api.headers).toMatchObject({ 'x-request-id': 'mine', 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '1', 'cache-control': 'no-store' });
    expect(JSON.parse(api.body)).toMatchObject({ code: 'unavailable', status: 503, requestId: 'mine' });
    for (const path of ['/oauth2/token', '/o/acme/token', '/o/acme/userinfo?x']) {
      expect(JSON.parse((await ask(path, { method: 'POST', body: 'a=b' })).body)).toMatchObject({ error: 'temporarily_unavailable' });
    }

    now = 119;
    expect(await statusOf('/quick')).toBe(200);
    release();
    expect(await Promise.all(held)).toEqual(Array(64).fill(200));
  });
});
