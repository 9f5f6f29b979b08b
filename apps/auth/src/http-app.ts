import { HttpObserver, LOGGER, Shutdown, type BusTransport } from '@holdfast/bus';
import type { Logger } from '@holdfast/kit';
import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from './config.js';
import { observeWhenOver } from './http-outcome.js';
import { IssuerRoutes } from './issuer/issuer-routes.js';
import { Providers } from './provider/providers.js';

/** A slow sender holds a connection no longer than this, in ms, looked at every so often. */
const requestTimeout = 10_000;
const connectionsCheckingInterval = 2000;
/** Longer than the gateway keeps a connection of its pool, so that it never sends into one that is just closing. */
const keepAliveTimeout = 75_000;

/** The service speaks HTTP, to the gateway alone, beside the bus. */
export function createHttpApp(config: Config) {
  const { HTTP_PORT, HTTP_HOST } = config;
  return async (root: DynamicModule, transport: BusTransport): Promise<INestApplicationContext> => {
    const adapter = new FastifyAdapter({ requestTimeout, keepAliveTimeout, forceCloseConnections: 'idle', http: { connectionsCheckingInterval } });
    const app = await NestFactory.create<NestFastifyApplication>(root, adapter, { bodyParser: false, abortOnError: false });
    const providers = app.get(Providers);
    const issuers = app.get(IssuerRoutes);
    // Before any parsing: oidc-provider reads bodies itself.
    const observer = new HttpObserver(app.get<Logger>(LOGGER), config);
    app.get(Shutdown).before(() => observer.flush());
    adapter.getInstance().addHook('onRequest', (request, reply, done) => {
      observeWhenOver(observer, request.raw, reply.raw, performance.now());
      const answer = providers.routeOf(request.raw) ?? issuers.routeOf(request.raw);
      if (!answer) return done();
      reply.hijack();
      void answer(request.raw, reply.raw);
    });
    app.connectMicroservice({ strategy: transport });
    await app.startAllMicroservices();
    await app.listen(HTTP_PORT, HTTP_HOST);
    return app;
  };
}
