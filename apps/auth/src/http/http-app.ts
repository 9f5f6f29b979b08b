import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { internalHeaders } from '@holdfast/contracts';
import { type BusTransport } from '@holdfast/messaging';
import {
  CLOCK,
  readServerTls,
  reloadServerTls,
  serverTimeouts,
  serverTlsFiles,
  startRequestSpan,
  traceHeader,
  untilUnused,
  within,
  type Clock,
  type Logger,
} from '@holdfast/platform';
import { HttpObserver, LOGGER, Readiness, Shutdown } from '@holdfast/service';
import type { Config } from '../config.js';
import { PlatformIssuer } from '../platform-issuer/platform-issuer.js';
import { observeOnClose } from '../request-context/http-outcome.js';
import { HttpAdmission } from './http-admission.js';
import { IssuerRoutes } from './issuer-routes.js';
import { respondUnavailable } from './respond-unavailable.js';

/** The gateway sends each request without pauses. */
const timeouts = serverTimeouts({ headersTimeoutMs: 5000, requestTimeoutMs: 10_000 });
/** Longer than the gateway keeps a pooled connection, so that it never sends into one that is being closed. */
const keepAliveTimeoutMs = 75_000;

/**
 * How long a stopping replica responds 503 before it closes idle connections: longer than the probe interval of
 * gateways, so that each of them uses another replica by then. When a connection closes during a request, the gateway
 * cannot know whether the request was processed.
 */
const drainMs = 1200;
/** The gateway probes it over the connection that it uses for requests. */
const readyPath = '/readyz';
const readyLimitMs = 500;
/** Tells the gateway that this replica did not begin the request, so that it may send it to another one. */
const closingHeader = internalHeaders.closing;

/** Auth serves HTTP to the gateway only, besides the bus. */
export function createHttpApp(config: Config) {
  const { HTTP_PORT, HTTP_HOST } = config;
  const tls = serverTlsFiles('auth', config);
  return async (root: DynamicModule, transport: BusTransport): Promise<INestApplicationContext> => {
    const adapter = new FastifyAdapter({
      // A client without a certificate that HTTP_CLIENT_CA_FILE signed gets no connection.
      ...(tls && { https: { ...readServerTls(tls), requestCert: tls.clientCaFile !== undefined } }),
      ...timeouts,
      keepAliveTimeout: keepAliveTimeoutMs,
      forceCloseConnections: 'idle',
      return503OnClosing: false,
    });
    const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
      bodyParser: false,
      abortOnError: false,
    });
    const platformIssuer = app.get(PlatformIssuer);
    const issuerRoutes = app.get(IssuerRoutes);
    const readiness = app.get(Readiness);
    const clock = app.get<Clock>(CLOCK);
    const logger = app.get<Logger>(LOGGER);
    const fastify = adapter.getInstance();
    const admission = new HttpAdmission(config);
    if (tls) {
      const stop = reloadServerTls(fastify.server as unknown as HttpsServer, tls, (err) => {
        if (err) logger.error({ err }, 'The renewed certificate cannot be used; the previous one stays in use');
        else logger.info('loaded the renewed certificate');
      });
      app.get(Shutdown).before(stop);
    }
    let closing = false;
    fastify.addHook('preClose', async () => {
      closing = true;
      await untilUnused(fastify.server, drainMs);
    });
    // Before any parsing: oidc-provider reads bodies itself.
    const observer = new HttpObserver(logger, config);
    app.get(Shutdown).before(() => observer.flush());
    fastify.addHook('onRequest', (request, reply, done) => {
      const isProbe = request.raw.url === readyPath;
      const span = isProbe ? undefined : startRequestSpan(request.method, callerTrace(request.raw));
      if (!isProbe) observeOnClose(observer, request.raw, reply.raw, performance.now(), span);
      const rejection = closing
        ? 'this replica is stopping'
        : clock.trust() === 'wrong'
          ? 'the clock of this replica is wrong'
          : undefined;
      const handler =
        isProbe && !closing
          ? respondReadiness(readiness)
          : rejection !== undefined
            ? rejectUnbegun(rejection)
            : (platformIssuer.routeOf(request.raw) ?? issuerRoutes.routeOf(request.raw));
      if (!handler) return done();
      reply.hijack();
      // Probes and rejections are not subject to admission.
      if (isProbe || rejection !== undefined) void handler(request.raw, reply.raw);
      else if (span) void span.run(() => admission.run(request.raw, reply.raw, handler));
      else void admission.run(request.raw, reply.raw, handler);
    });
    app.connectMicroservice({ strategy: transport });
    await app.startAllMicroservices();
    await app.listen(HTTP_PORT, HTTP_HOST);
    return app;
  };
}

/** The gateway sets it: callers cannot name a trace here. */
function callerTrace({ headers }: IncomingMessage): string | undefined {
  const given = headers[traceHeader];
  return typeof given === 'string' ? given : undefined;
}

/** Rejects a request before it begins: while the replica stops, and with a wrong clock, since tokens would be wrong. */
function rejectUnbegun(reason: string) {
  return (request: IncomingMessage, response: ServerResponse): void =>
    respondUnavailable(request, response, reason, { connection: 'close', [closingHeader]: '1' });
}

function respondReadiness(readiness: Readiness) {
  return async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A hung dependency must not make this replica look hung.
    const ready = await within(readyLimitMs, readiness.report()).then(
      ({ healthy }) => healthy,
      () => false,
    );
    response
      .writeHead(ready ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      .end(ready ? 'ready\n' : 'not ready\n');
  };
}
