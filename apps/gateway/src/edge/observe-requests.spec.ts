import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { createLogger, httpLogConfigSchema } from '@holdfast/platform';
import { HttpObserver, type ObservedRequest } from '@holdfast/service';
import { observeRequests, parseErrorOrigin } from './observe-requests.js';
import { newRequestContext } from './request-context.js';

const observed: ObservedRequest[] = [];
class RecordingObserver extends HttpObserver {
  override observe(request: ObservedRequest): void {
    observed.push(request);
  }
}
let app: FastifyInstance;

beforeEach(async () => {
  observed.length = 0;
  app = fastify();
  app.decorateRequest('requestContext');
  app.addHook('onRequest', (request, _reply, done) => {
    request.requestContext = newRequestContext(request);
    done();
  });
  observeRequests(app, new RecordingObserver(createLogger('test', 'fatal'), httpLogConfigSchema.parse({})));
  app.get('/o/:shortId/token', (_request, reply) =>
    reply.code(503).header('x-holdfast-origin', 'issuance/postgres;unreachable').send('{}'),
  );
  app.get('/o/:shortId/fine', () => 'fine');
  await app.ready();
});
afterEach(() => app.close());

test('observes the route template and never the path', async () => {
  await app.inject('/o/acme/fine?token=secret');
  expect(observed).toEqual([
    expect.objectContaining({ route: '/o/{shortId}/fine', status: 200, org: 'acme', verified: false, method: 'GET' }),
  ]);
  expect(JSON.stringify(observed)).not.toContain('secret');
});

test('reads the origin of an error from the header of auth, and removes the header', async () => {
  const { headers } = await app.inject('/o/acme/token');
  expect(headers).not.toHaveProperty('x-holdfast-origin');
  expect(observed).toEqual([
    expect.objectContaining({ status: 503, origin: { dependency: 'auth/issuance/postgres', cause: 'unreachable' } }),
  ]);
});

test('observes a path without a route as unmatched', async () => {
  await app.inject('/no/route');
  expect(observed).toEqual([expect.objectContaining({ route: undefined, org: undefined, status: 404 })]);
});

test.each([
  ['<script>;timeout', 'auth', 'timeout'],
  ['issuance;no such cause', 'auth/issuance', 'unavailable'],
  [['a', 'b'], 'auth', 'unavailable'],
])('parses the origin %j as %s, %s', (header, dependency, cause) => {
  expect(parseErrorOrigin('auth', header)).toEqual({ dependency, cause });
});
