import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { createLogger, httpLogConfigSchema } from '@holdfast/platform';
import { HttpObserver, type ObservedRequest } from '@holdfast/service';
import { observeRequests, originOf } from './observe-requests.js';
import { newRequestContext } from './request-context.js';

const seen: ObservedRequest[] = [];
class Spy extends HttpObserver {
  override observe(request: ObservedRequest): void {
    seen.push(request);
  }
}
let app: FastifyInstance;

beforeEach(async () => {
  seen.length = 0;
  app = fastify();
  app.decorateRequest('requestContext');
  app.addHook('onRequest', (request, _reply, done) => {
    request.requestContext = newRequestContext(request);
    done();
  });
  observeRequests(app, new Spy(createLogger('test', 'fatal'), httpLogConfigSchema.parse({})));
  app.get('/o/:shortId/token', (_request, reply) =>
    reply.code(503).header('x-holdfast-origin', 'issuance/postgres;unreachable').send('{}'),
  );
  app.get('/o/:shortId/fine', () => 'fine');
  await app.ready();
});
afterEach(() => app.close());

test('observes the route template and never the path', async () => {
  await app.inject('/o/acme/fine?token=secret');
  expect(seen).toEqual([
    expect.objectContaining({ route: '/o/{shortId}/fine', status: 200, org: 'acme', verified: false, method: 'GET' }),
  ]);
  expect(JSON.stringify(seen)).not.toContain('secret');
});

test('takes from auth what failed there, and hands it on to nobody', async () => {
  const { headers } = await app.inject('/o/acme/token');
  expect(headers).not.toHaveProperty('x-holdfast-origin');
  expect(seen).toEqual([
    expect.objectContaining({ status: 503, origin: { dependency: 'auth/issuance/postgres', cause: 'unreachable' } }),
  ]);
});

test('observes an address without a route as unmatched, whatever it is', async () => {
  await app.inject('/made/up');
  expect(seen).toEqual([expect.objectContaining({ route: undefined, org: undefined, status: 404 })]);
});

test.each([
  ['<script>;timeout', 'auth', 'timeout'],
  ['issuance;made up', 'auth/issuance', 'unavailable'],
  [['a', 'b'], 'auth', 'unavailable'],
])('takes %j for %s, %s', (told, dependency, cause) => {
  expect(originOf('auth', told)).toEqual({ dependency, cause });
});
