import { afterEach, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplicationContext } from '@nestjs/common';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import { Bus } from '@holdfast/messaging';
import { CLOCK } from '@holdfast/platform';
import { LOGGER, Shutdown } from '@holdfast/service';
import { FakeClock } from '@holdfast/testing';
import { RequestLimits } from './access/request-limits.js';
import type { GatewayConfig } from './config.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import { createHttpApp } from './http.js';
import { AuthProxy } from './issuer/proxy/auth-proxy.js';

@Controller()
class UndeclaredController {
  @Get('debug')
  debug(): string {
    return 'open to everybody';
  }
}

class Root {}

const config = {
  BASE_URL: 'http://localhost:3000',
  HTTP_PORT: 0,
  HTTP_HOST: '127.0.0.1',
  HTTP_HEADERS_TIMEOUT_SECONDS: 10,
  HTTP_BODY_TIMEOUT_SECONDS: 10,
  HTTP_DRAIN_SECONDS: 0,
  HTTP_MAX_CONNECTIONS: 10,
  HTTP_MAX_CONNECTIONS_PER_ADDRESS: 10,
  TRUSTED_PROXIES: [] as string[],
  AUTH_URLS: ['http://127.0.0.1:1'],
} as unknown as GatewayConfig;
let started: INestApplicationContext | undefined;
afterEach(() => started?.close());

it('does not start with a route that has no declaration', async () => {
  const silent = { warn: () => undefined, error: () => undefined, info: () => undefined, debug: () => undefined };
  const provide = (token: unknown, useValue: object) => ({ provide: token as string, useValue });
  const root = {
    module: Root,
    imports: [EndpointsModule],
    controllers: [UndeclaredController],
    providers: [
      provide(AuditWriter, {}),
      provide(DeniedRequestCounter, {}),
      provide(CLOCK, new FakeClock()),
      provide(LOGGER, silent),
      provide(Shutdown, { before: () => undefined }),
      provide(RequestLimits, { admit: () => undefined }),
      provide(Bus, {}),
      provide(AuthProxy, {}),
    ],
  };
  const starting = createHttpApp(config)(root, undefined as never).then((app) => (started = app));
  await expect(starting).rejects.toThrow('GET /debug is registered without a declaration');
});
