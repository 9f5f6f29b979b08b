import { randomBytes } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import type { z } from 'zod';
import {
  getApp,
  knownOrganizations,
  recordOperatorRead,
  streams,
  type App,
  type BusUser,
  type Contract,
  type DomainEvent,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, EventConsumer, Handles } from '@holdfast/messaging';
import { AppError, createLogger, type Clock } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import { collectOnce, createTestDatabase, startTestBus, testContext, type TestDatabase } from '@holdfast/testing';
import { IssuanceModule } from './app.module.js';
import { configSchema } from './config.js';
import { entities } from './entities.js';
import { migrations } from './migrations/index.js';

/** What the stubs of directory and audit store; the tests write it. */
export const stubs = {
  organizations: new Set<string>(['acme', 'globex']),
  apps: new Map<string, Partial<App>>(),
  asked: 0,
  read: [] as string[],
};

@Controller()
class Directory {
  @Handles(knownOrganizations)
  async known({ shortIds }: RequestOf<typeof knownOrganizations>): Promise<ReplyOf<typeof knownOrganizations>> {
    return { known: shortIds.filter((id) => stubs.organizations.has(id)) };
  }

  @Handles(getApp)
  async app({ clientId }: RequestOf<typeof getApp>): Promise<App> {
    stubs.asked += 1;
    const found = stubs.apps.get(clientId);
    if (!found) throw new AppError('unknown_app');
    // Whole, since replies are held against their contract.
    return {
      org: 'acme',
      name: 'Shop',
      kind: 'web',
      audience: 'customers',
      redirectUris: [],
      postLogoutRedirectUris: [],
      origins: [],
      refreshTokens: true,
      pkce: 'required',
      scopes: [],
      disabled: false,
      apiVersion: '2026-11-01',
      version: 1,
      createdAt: '2026-11-21T09:30:00.000Z',
      ...found,
      clientId,
    };
  }
}

@Controller()
class Audit {
  @Handles(recordOperatorRead)
  async read(
    { action }: RequestOf<typeof recordOperatorRead>,
    { org, actor }: RequestContext,
  ): Promise<Record<string, never>> {
    stubs.read.push(`${action} of ${org} by ${actor.id}`);
    return {};
  }
}

@Module({ controllers: [Directory] })
class DirectoryModule {}
@Module({ controllers: [Audit] })
class AuditModule {}

/** Issuance between a real bus and a real database, with a directory that knows what the test says. */
export class IssuanceStack {
  readonly received: DomainEvent[] = [];
  readonly lines: string[] = [];
  database!: TestDatabase;
  gateway!: Bus;
  auth!: Bus;
  /** Where replicas of issuance say whether they are ready. */
  opsPorts: number[] = [];
  private operator!: Bus;
  private readonly connections: NatsConnection[] = [];
  private readonly stops: (() => Promise<unknown>)[] = [];

  static async start(
    settings: Record<string, string> = {},
    clock?: Clock,
    replicas = 1,
    machineTimeMs?: () => number,
  ): Promise<IssuanceStack> {
    const stack = new IssuanceStack();
    const [nats, database] = await Promise.all([
      startTestBus(),
      createTestDatabase('issuance', (url) => migrate('issuance', url, migrations)),
    ]);
    stack.database = database;
    const quiet = createLogger('test', 'fatal');
    const as = async (user: BusUser) => {
      const connection = await connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);
      stack.connections.push(connection);
      return connection;
    };
    await declareStreams(await as('deploy'));
    const key = () => randomBytes(32).toString('base64url');
    const shared = { NATS_URL: nats.url, BASE_URL: 'http://localhost:8080', LOG_LEVEL: 'debug' };
    const secrets = {
      KEY_ENCRYPTION_KEY: key(),
      SECRET_PEPPER: key(),
      PRESENCE_KEY: key(),
      DATABASE_URL: database.url(),
      NATS_NKEY_SEED: nats.seed('issuance'),
    };
    const config = configSchema.parse({ ...shared, ...secrets, ...settings });
    const logger = createLogger('test', 'debug', '1', { write: (line: string) => void stack.lines.push(line) });
    const issuance = () =>
      startService({
        service: 'issuance',
        config,
        module: IssuanceModule,
        database: { url: config.DATABASE_URL, pool: 16, entities },
        logger,
        ...(clock && { clock }),
        ...(machineTimeMs && { machineTimeMs }),
      });
    const services: RunningService[] = [
      ...(await Promise.all(Array.from({ length: replicas }, issuance))),
      await startService({
        service: 'directory',
        config: { ...config, NATS_NKEY_SEED: nats.seed('directory') },
        module: DirectoryModule,
        logger: quiet,
      }),
      await startService({
        service: 'audit',
        config: { ...config, NATS_NKEY_SEED: nats.seed('audit') },
        module: AuditModule,
        logger: quiet,
      }),
    ];
    stack.opsPorts = services.slice(0, replicas).map(({ opsPort }) => opsPort);
    for (const consumer of streams.issuance.consumers) {
      const events = new EventConsumer(
        streams.issuance,
        consumer,
        new Bus(await as(consumer)),
        async (some) => void (consumer === 'audit' && collectOnce(stack.received, some)),
      );
      events.start();
      stack.stops.push(() => events.stop());
    }
    stack.gateway = new Bus(await as('gateway'));
    stack.auth = new Bus(await as('auth'));
    stack.operator = new Bus(await as('operator'));
    stack.stops.unshift(...services.map((service) => () => service.stop()));
    stack.stops.push(
      ...stack.connections.map((connection) => () => connection.close()),
      () => nats.stop(),
      () => database.drop(),
    );
    return stack;
  }

  /** Sends a request as the operator's command line does. */
  asOperator<C extends Contract>(contract: C, input: z.input<C['request']>, org = 'acme'): Promise<ReplyOf<C>> {
    return this.operator.request(
      contract,
      input,
      testContext({ org, actor: { type: 'operator', id: 'operator' }, request: { method: 'CLI', route: 'holdfast' } }),
    );
  }

  async stop(): Promise<void> {
    for (const stop of this.stops) await stop();
  }
}
