import { AuditWriter, HttpObserver, LOGGER, RefusalCounter, Shutdown, type BusTransport } from '@holdfast/bus';
import { AppError, CLOCK, isRepeated, serverTimeouts, unavailable, type Clock, type Logger } from '@holdfast/kit';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BearerStrategy } from './access/bearer.strategy.js';
import { publicRoutes } from './access/public-routes.js';
import { assertLimited, assertRecorded, assertRoutes } from './access/route-assertion.js';
import { AuditHook } from './audit/audit-hook.js';
import type { GatewayConfig } from './config.js';
import { overloaded, refuseBacklog } from './edge/backlog.js';
import { limitConnections } from './edge/connection-limits.js';
import { endpoints } from './endpoints.js';
import { unroutable } from './errors/unroutable.js';
import { limitRequests } from './limits/limit-requests.js';
import { RequestLimits } from './limits/request-limits.js';
import { observeRequests } from './observability/observe-requests.js';
import { isProbe } from './routing/health.controller.js';
import { newCall, routeTemplate, type Call } from './routing/call.js';
import { RouteTable } from './routing/route-table.js';

/** The HTTP side of the gateway: listens only once every route is known to be guarded or meant to be public. */
export function createHttpApp(config: GatewayConfig) {
  return async (root: DynamicModule, _transport: BusTransport): Promise<INestApplicationContext> => {
    const refusals = unroutable(config.BASE_URL, (call) => headersOf(config, call));
    // Node bounds the address; a parameter that is too long is refused by its schema, when the caller is known.
    const routerOptions = { maxParamLength: 16_384 };
    const headersTimeoutMs = config.HTTP_HEADERS_TIMEOUT_SECONDS * 1000;
    // A body has its own time (readBody), which ends sooner and has a better answer; this one is for bodies that nobody reads.
    const timeouts = serverTimeouts({ headersTimeoutMs, requestTimeoutMs: headersTimeoutMs + config.HTTP_BODY_TIMEOUT_SECONDS * 1000 + 5000 });
    const adapter = new FastifyAdapter({ forceCloseConnections: 'idle', return503OnClosing: false, routerOptions, ...timeouts, trustProxy: config.TRUSTED_PROXIES, ...refusals });
    const fastify = adapter.getInstance<FastifyInstance>();
    const seen: { method: string | string[]; url: string }[] = [];
    fastify.addHook('onRoute', ({ method, url }) => void seen.push({ method, url }));
    takeBodiesUnread(fastify);
    limitConnections(fastify.server, { max: config.HTTP_MAX_CONNECTIONS, maxPerAddress: config.HTTP_MAX_CONNECTIONS_PER_ADDRESS, trusted: config.TRUSTED_PROXIES });
    // RFC 9110 §10.1.1 lets a server pass over an expectation that it does not know; Node would answer 417 without a word.
    fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));

    const app = await NestFactory.create<NestFastifyApplication>(root, adapter, { bodyParser: false, abortOnError: false });
    const routes = app.get(RouteTable);
    const clock = app.get<Clock>(CLOCK);
    const audit = new AuditHook(app.get(AuditWriter), app.get(RefusalCounter), endpoints, config.BASE_URL, clock, (request) => app.get(BearerStrategy).identify(request));
    fastify.decorateRequest('call');
    let closing = false;
    fastify.addHook('preClose', (done) => {
      closing = true;
      done();
    });
    const forms = new Map(endpoints.map(({ method, path, errorForm }) => [`${method} ${path}`, errorForm]));
    fastify.addHook('onRequest', (request, reply, done) => {
      request.call = newCall(request, forms.get(`${request.method === 'HEAD' ? 'GET' : request.method} ${routeTemplate(request)}`));
      void reply.headers(headersOf(config, request.call));
      done();
    });
    const observer = new HttpObserver(app.get<Logger>(LOGGER), config);
    app.get(Shutdown).before(() => observer.flush());
    observeRequests(fastify, observer);
    fastify.addHook('onRequest', (request, reply, done) => done(closing ? stopping(reply) : clock.trust() === 'wrong' && !isProbe(request.routeOptions.url ?? '') ? wrongClock() : unacceptable(request)));
    refuseBacklog(fastify.server, config.MAX_BACKLOG_MS, overloaded(endpoints, config.BASE_URL, (call) => headersOf(config, call), observer));
    limitRequests(fastify, app.get(RequestLimits));
    fastify.addHook('onSend', async (request, reply, payload) => {
      const version = request.call.claims?.api_version;
      if (version) void reply.header('api-version', version);
      return audit.beforeSend(request, reply, payload);
    });
    await app.init();
    for (const { method, url } of seen) routes.add(method, url);
    const declared = endpoints.map(({ method, path, operation, ...e }) => ({ ...e, route: `${method} ${path}`, guarded: operation !== undefined }));
    assertRecorded(declared);
    assertLimited(declared);
    assertRoutes(routes.all(), declared, publicRoutes);
    await app.listen(config.HTTP_PORT, config.HTTP_HOST);
    return app;
  };
}

/** What comes on a connection that was busy when we were told to stop: another replica answers it. */
function stopping(reply: FastifyReply): AppError {
  void reply.header('connection', 'close');
  return unavailable('This server is stopping; another one answers.');
}

/** Nothing is begun: tokens would be judged, and records dated, by another time. */
function wrongClock(): AppError {
  return unavailable('The clock of this server is wrong; another one answers.', 1, { dependency: 'clock', cause: 'unavailable' });
}

/** RFC 9112 §3.2: with two of them, a proxy in front and we could mean different hosts. */
function unacceptable({ raw }: FastifyRequest): AppError | undefined {
  return isRepeated(raw, 'host') ? new AppError('invalid_request', 'Send one Host header.', { status: 400 }) : undefined;
}

/** Bodies are handed on as streams: they are read when the caller is known (routing/input.ts), or when they go to auth (proxy/auth-proxy.ts). */
function takeBodiesUnread(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

function headersOf({ BASE_URL }: GatewayConfig, { requestId, shown }: Call): Record<string, string> {
  return {
    'x-request-id': shown.requestId,
    'holdfast-request-id': requestId,
    traceparent: shown.trace.traceparent,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    ...(BASE_URL.startsWith('https:') && { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }),
  };
}
