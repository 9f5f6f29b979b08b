import replyFrom from '@fastify/reply-from';
import { AuditWriter, HttpObserver, LOGGER, RefusalCounter, Shutdown, type BusTransport } from '@holdfast/bus';
import { CLOCK, type Clock, type Logger } from '@holdfast/kit';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { publicRoutes } from './access/public-routes.js';
import { assertRecorded, assertRoutes } from './access/route-assertion.js';
import { AuditHook } from './audit/audit-hook.js';
import type { GatewayConfig } from './config.js';
import { endpoints } from './endpoints.js';
import { unroutable } from './errors/unroutable.js';
import { observeRequests } from './observability/observe-requests.js';
import { newCall } from './routing/call.js';
import { RouteTable } from './routing/route-table.js';

/** The HTTP side of the gateway: listens only once every route is known to be guarded or meant to be public. */
export function createHttpApp(config: GatewayConfig) {
  return async (root: DynamicModule, _transport: BusTransport): Promise<INestApplicationContext> => {
    const refusals = unroutable(config.BASE_URL, (requestId, traceparent) => headersOf(config, requestId, traceparent));
    // Node bounds the address; a parameter that is too long is refused by its schema, when the caller is known.
    const routerOptions = { maxParamLength: 16_384 };
    const adapter = new FastifyAdapter({ forceCloseConnections: 'idle', routerOptions, requestTimeout: 30_000, trustProxy: config.TRUSTED_PROXIES, ...refusals });
    const fastify = adapter.getInstance<FastifyInstance>();
    const seen: { method: string | string[]; url: string }[] = [];
    fastify.addHook('onRoute', ({ method, url }) => void seen.push({ method, url }));
    takeBodiesUnread(fastify);
    await fastify.register(replyFrom, { undici: { connections: 64, pipelining: 1 } });

    const app = await NestFactory.create<NestFastifyApplication>(root, adapter, { bodyParser: false, abortOnError: false });
    const routes = app.get(RouteTable);
    const audit = new AuditHook(app.get(AuditWriter), app.get(RefusalCounter), endpoints, config.BASE_URL, app.get<Clock>(CLOCK));
    fastify.decorateRequest('call');
    fastify.addHook('onRequest', (request, reply, done) => {
      request.call = newCall(request);
      void reply.headers(headersOf(config, request.call.requestId, request.call.trace.traceparent));
      done();
    });
    const observer = new HttpObserver(app.get<Logger>(LOGGER), config);
    app.get(Shutdown).before(() => observer.flush());
    observeRequests(fastify, observer);
    fastify.addHook('onSend', async (request, reply, payload) => {
      const version = request.call.claims?.api_version;
      if (version) void reply.header('api-version', version);
      return audit.beforeSend(request, reply, payload);
    });
    await app.init();
    for (const { method, url } of seen) routes.add(method, url);
    const declared = endpoints.map(({ method, path, operation, ...e }) => ({ ...e, route: `${method} ${path}`, guarded: operation !== undefined }));
    assertRecorded(declared);
    assertRoutes(routes.all(), declared, publicRoutes);
    await app.listen(config.HTTP_PORT, config.HTTP_HOST);
    return app;
  };
}

/** Bodies are handed on as streams: they are read when the caller is known (json-body.ts), or passed to auth as they are. */
function takeBodiesUnread(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

function headersOf({ BASE_URL }: GatewayConfig, requestId: string, traceparent: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    traceparent,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    ...(BASE_URL.startsWith('https:') && { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }),
  };
}
