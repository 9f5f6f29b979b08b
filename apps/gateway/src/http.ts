import type { Server as HttpsServer } from 'node:https';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import { routeOf, type Endpoint } from '@holdfast/contracts/http';
import { Bus, type BusTransport } from '@holdfast/messaging';
import {
  AppError,
  CLOCK,
  isRepeated,
  readServerTls,
  reloadServerTls,
  serverTimeouts,
  serverTlsFiles,
  startRequestSpan,
  unavailable,
  untilUnused,
  type Clock,
  type Logger,
  type ServerTlsFiles,
} from '@holdfast/platform';
import { HttpObserver, LOGGER, Shutdown } from '@holdfast/service';
import { AccessTokenStrategy } from './access/access-token.strategy.js';
import { limitRequests } from './access/limit-requests.js';
import { RequestLimits } from './access/request-limits.js';
import { AuditHook } from './audit/audit-hook.js';
import type { GatewayConfig } from './config.js';
import { trustedProxies } from './edge/client-address.js';
import { limitConnections } from './edge/connection-limits.js';
import { rejectEarly } from './edge/early-rejection.js';
import { observeRequests } from './edge/observe-requests.js';
import { PacedRejections } from './edge/paced-rejections.js';
import { rawErrorWriter, type CommonHeaders } from './edge/problems/raw-error.js';
import { unroutableHandlers } from './edge/problems/unroutable.js';
import { matchedRoute, newRequestContext } from './edge/request-context.js';
import { assertEndpoints } from './endpoints/endpoint-assertion.js';
import { RouteTable } from './endpoints/route-table.js';
import { ENDPOINTS } from './endpoints/route.js';
import { isProbe } from './health/health.controller.js';
import { AuthProxy } from './issuer/proxy/auth-proxy.js';

/** Creates the HTTP server of the gateway. It listens only after the start-up assertion has passed for every route. */
export function createHttpApp(config: GatewayConfig) {
  const tls = serverTlsFiles('gateway', config);
  return async (root: DynamicModule, transport: BusTransport): Promise<INestApplicationContext> => {
    const commonHeaders = commonHeadersOf(config);
    const writeError = rawErrorWriter(config.BASE_URL, commonHeaders);
    // Node limits the length of the URL; the schema rejects long parameters, once the caller is authorized.
    const routerOptions = { maxParamLength: 16_384 };
    const headersTimeoutMs = config.HTTP_HEADERS_TIMEOUT_SECONDS * 1000;
    // readBody has a shorter time limit with a better error. This one is for bodies that no handler reads.
    const timeouts = serverTimeouts({
      headersTimeoutMs,
      requestTimeoutMs: headersTimeoutMs + config.HTTP_BODY_TIMEOUT_SECONDS * 1000 + 5000,
    });
    const adapter = new FastifyAdapter({
      ...(tls && { https: readServerTls(tls) }),
      forceCloseConnections: 'idle',
      return503OnClosing: false,
      routerOptions,
      ...timeouts,
      trustProxy: trustedProxies(config.TRUSTED_PROXIES),
      ...unroutableHandlers(writeError),
    });
    const fastify = adapter.getInstance<FastifyInstance>();
    const registeredRoutes: { method: string | string[]; url: string }[] = [];
    fastify.addHook('onRoute', ({ method, url }) => void registeredRoutes.push({ method, url }));
    leaveBodiesUnread(fastify);
    limitConnections(fastify.server, {
      max: config.HTTP_MAX_CONNECTIONS,
      maxPerAddress: config.HTTP_MAX_CONNECTIONS_PER_ADDRESS,
      trusted: config.TRUSTED_PROXIES,
    });
    // RFC 9110 §10.1.1 lets a server ignore an unknown expectation; Node would respond 417 without a body.
    fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));

    const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
      bodyParser: false,
      abortOnError: false,
    });
    const routes = app.get(RouteTable);
    const endpoints = app.get<Endpoint[]>(ENDPOINTS);
    const clock = app.get<Clock>(CLOCK);
    const audit = new AuditHook(
      app.get(AuditWriter),
      app.get(DeniedRequestCounter),
      endpoints,
      config.BASE_URL,
      clock,
      async (request) => app.get(AccessTokenStrategy).validate(request),
    );
    fastify.decorateRequest('requestContext');
    const observer = new HttpObserver(app.get<Logger>(LOGGER), config);
    app.get(Shutdown).before(() => observer.flush());
    if (tls) app.get(Shutdown).before(reloadCertificate(fastify, tls, app.get<Logger>(LOGGER)));
    const errorForms = new Map(endpoints.map((declared) => [routeOf(declared), declared.errorForm]));
    const [bus, proxy] = [app.get(Bus), app.get(AuthProxy)];
    // The first hook: it must cost next to nothing.
    rejectEarly(fastify, {
      maxBacklogMs: config.MAX_BACKLOG_MS,
      maxRequests: config.HTTP_MAX_REQUESTS,
      rejections: new PacedRejections(config.HTTP_REJECTIONS_PER_SECOND),
      limitReached: (request) => proxy.limitReached(request) ?? bus.limitReached(matchedRoute(request)),
      errorFormOf: (request) => errorForms.get(matchedRoute(request)),
      writeError,
      observer,
    });
    let phase: 'open' | 'draining' | 'closing' = 'open';
    fastify.addHook('preClose', async () => {
      phase = 'draining';
      await untilUnused(fastify.server, config.HTTP_DRAIN_SECONDS * 1000);
      phase = 'closing';
    });
    fastify.addHook('onRequest', (request, reply, done) => {
      const span = isProbe(request.routeOptions.url ?? '') ? undefined : startRequestSpan(request.method);
      request.requestContext = newRequestContext(request, errorForms.get(matchedRoute(request)), span);
      void reply.headers(commonHeaders(request.requestContext));
      if (phase !== 'open') void reply.header('connection', 'close');
      if (span) span.run(done);
      else done();
    });
    observeRequests(fastify, observer);
    fastify.addHook('onRequest', (request, _reply, done) =>
      done(
        phase === 'closing'
          ? unavailable('This server is stopping; another one answers.')
          : clock.trust() === 'wrong' && !isProbe(request.routeOptions.url ?? '')
            ? wrongClockError()
            : repeatedHostError(request),
      ),
    );
    limitRequests(fastify, app.get(RequestLimits));
    fastify.addHook('onSend', async (request, reply, payload) => {
      const version = request.requestContext.claims?.api_version;
      if (version) void reply.header('api-version', version);
      return audit.beforeSend(request, reply, payload);
    });
    await app.init();
    for (const { method, url } of registeredRoutes) routes.add(method, url);
    assertEndpoints(routes.all(), endpoints);
    app.connectMicroservice({ strategy: transport });
    await app.startAllMicroservices();
    // Node's default of 511 is less than one address may open at once. Beyond it the kernel resets connections.
    const { HTTP_PORT: port, HTTP_HOST: host, HTTP_MAX_CONNECTIONS: backlog } = config;
    await app.listen({ port, host, backlog });
    return app;
  };
}

/** @returns stops looking for renewed files */
function reloadCertificate({ server }: FastifyInstance, tls: ServerTlsFiles, logger: Logger): () => void {
  return reloadServerTls(server as unknown as HttpsServer, tls, (err) => {
    if (err) logger.error({ err }, 'The renewed certificate cannot be used; the previous one stays in use');
    else logger.info('loaded the renewed certificate');
  });
}

/** With a wrong clock, tokens would be verified and records dated by a wrong time, so no request is handled. */
function wrongClockError(): AppError {
  return unavailable('The clock of this server is wrong; another one answers.', 1, {
    dependency: 'clock',
    cause: 'unavailable',
  });
}

/** RFC 9112 §3.2: with two Host headers, a proxy in front of us could use the other one. */
function repeatedHostError({ raw }: FastifyRequest): AppError | undefined {
  return isRepeated(raw, 'host')
    ? new AppError('invalid_request', 'Send one Host header.', { status: 400 })
    : undefined;
}

/**
 * Passes bodies on as streams. They are read once the caller is authorized (requests/input.ts) or when the request is
 * forwarded to auth (issuer/proxy/auth-proxy.ts).
 */
function leaveBodiesUnread(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/**
 * Whether browsers shall use https only with this host. They would do so on each port of it (RFC 6797 §8.3), and
 * `localhost` is also that of every other program on the machine.
 */
function isOwnHost(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' && hostname !== 'localhost' && !hostname.endsWith('.localhost');
}

function commonHeadersOf({ BASE_URL }: GatewayConfig): CommonHeaders {
  const fixed = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    ...(isOwnHost(BASE_URL) && { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }),
  };
  return ({ requestId, responseIds }) => ({
    'x-request-id': responseIds.requestId,
    'holdfast-request-id': requestId,
    traceparent: responseIds.trace.traceparent,
    ...fixed,
  });
}
