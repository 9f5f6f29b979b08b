import { randomBytes } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module, type Type } from '@nestjs/common';
import type { z } from 'zod';
import {
  getApp,
  knownOrganizations,
  makerRights,
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
import {
  collectOnce,
  createTestDatabase,
  moreJobRuns,
  patient,
  startTestBus,
  testContext,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { IssuanceModule } from './app.module.js';
import { configSchema } from './config.js';
import { entities } from './entities.js';
import { migrations } from './migrations/index.js';

/** The data of the stubs of directory and audit. Tests add organizations and apps. */
export const stubs = {
  organizations: new Set<string>(['acme', 'globex']),
  apps: new Map<string, Partial<App>>(),
  /** What apps may do now; all customer scopes when absent. `down`: directory does not reply. */
  rights: new Map<string, string[] | 'down'>(),
  /** How often directory was queried for an app. */
  appQueries: 0,
  /** The reads of the operator that audit recorded. */
  recordedReads: [] as string[],
};

@Controller()
class Directory {
  @Handles(knownOrganizations)
  async known({ shortIds }: RequestOf<typeof knownOrganizations>): Promise<ReplyOf<typeof knownOrganizations>> {
    return { known: shortIds.filter((id) => stubs.organizations.has(id)) };
  }

  @Handles(makerRights)
  async rights({ maker }: RequestOf<typeof makerRights>): Promise<ReplyOf<typeof makerRights>> {
    const operations = stubs.rights.get(maker.id) ?? ['offers:write', 'issued:read', 'issued:manage'];
    if (operations === 'down') throw new AppError('unavailable', 'directory is down', { retryAfter: 1 });
    return { operations };
  }

  @Handles(getApp)
  async app({ clientId }: RequestOf<typeof getApp>): Promise<App> {
    stubs.appQueries += 1;
    const found = stubs.apps.get(clientId);
    if (!found) throw new AppError('unknown_app');
    // With all members, since replies are validated against their contract.
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
    stubs.recordedReads.push(`${action} of ${org} by ${actor.id}`);
    return {};
  }
}

@Module({ controllers: [Directory] })
class DirectoryModule {}
@Module({ controllers: [Audit] })
class AuditModule {}

const quiet = createLogger('test', 'fatal');

type ConsumerName = (typeof streams.issuance.consumers)[number];

export interface IssuanceStackOptions {
  settings?: Record<string, string>;
  clock?: Clock;
  replicas?: number;
  /** The clock of the machine on which issuance runs. */
  machineTimeMs?: () => number;
  /** Runs for each batch of a consumer of issuance's events. An error keeps the consumer from applying the batch. */
  onEvents?: (consumer: ConsumerName, events: DomainEvent[]) => void;
}

/** Issuance with a real bus and a real database, stubs of directory and audit, and all consumers of its events. */
export class IssuanceStack {
  /** The events that audit has consumed, each once. */
  readonly received: DomainEvent[] = [];
  /** The log lines of issuance. */
  readonly lines: string[] = [];
  database!: TestDatabase;
  gateway!: Bus;
  auth!: Bus;
  operator!: Bus;
  directory!: Bus;
  /** The ports of `/readyz` and `/metrics`, one for each replica of issuance. */
  opsPorts: number[] = [];
  private nats!: TestBus;
  private services: RunningService[] = [];
  private readonly consumers = new Map<ConsumerName, EventConsumer<typeof streams.issuance>>();
  private readonly connections: NatsConnection[] = [];

  private constructor(private readonly options: IssuanceStackOptions) {}

  static async start(options: IssuanceStackOptions = {}): Promise<IssuanceStack> {
    const stack = new IssuanceStack(options);
    await stack.start();
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

  async startConsumer(name: ConsumerName): Promise<void> {
    const apply = async (events: DomainEvent[]) => {
      this.options.onEvents?.(name, events);
      if (name === 'audit') collectOnce(this.received, events);
    };
    const consumer = new EventConsumer(streams.issuance, name, new Bus(await this.connect(name)), apply, {
      retryAfterMs: 20,
    });
    consumer.start();
    this.consumers.set(name, consumer);
  }

  async stopConsumer(name: ConsumerName): Promise<void> {
    await this.consumers.get(name)!.stop();
    this.consumers.delete(name);
  }

  /** Resolves when a job has run `runs` times more at each replica of issuance, on average. */
  moreRunsOf(job: string, runs: number): Promise<void> {
    return moreJobRuns(this.opsPorts[0]!, job, runs * this.opsPorts.length);
  }

  async stop(): Promise<void> {
    for (const service of this.services) await service.stop();
    for (const consumer of this.consumers.values()) await consumer.stop();
    for (const connection of this.connections) await connection.close();
    await this.nats?.stop();
    await this.database?.drop();
  }

  private async start(): Promise<void> {
    const { settings = {}, clock, replicas = 1, machineTimeMs } = this.options;
    [this.nats, this.database] = await Promise.all([
      startTestBus(),
      createTestDatabase('issuance', (url) => migrate('issuance', url, migrations), { isCopied: true }),
    ]);
    await declareStreams(await this.connect('deploy'));
    const key = () => randomBytes(32).toString('base64url');
    const config = configSchema.parse({
      NATS_URL: this.nats.url,
      NATS_NKEY_SEED: this.nats.seed('issuance'),
      BASE_URL: 'http://localhost:8080',
      LOG_LEVEL: 'debug',
      DATABASE_URL: this.database.url(),
      KEY_ENCRYPTION_KEY: key(),
      SECRET_PEPPER: key(),
      PRESENCE_KEY: key(),
      ...settings,
    });
    const logger = createLogger('test', 'debug', '1', { write: (line: string) => void this.lines.push(line) });
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
    const stub = (service: 'directory' | 'audit', module: Type) =>
      startService({ service, config: { ...config, NATS_NKEY_SEED: this.nats.seed(service) }, module, logger: quiet });
    // Nest's log goes to the logger of the service that started last: issuance, whose lines the tests read.
    const stubServices = [await stub('directory', DirectoryModule), await stub('audit', AuditModule)];
    const replicasOfIssuance = await Promise.all(Array.from({ length: replicas }, issuance));
    this.services = [...replicasOfIssuance, ...stubServices];
    this.opsPorts = replicasOfIssuance.map(({ opsPort }) => opsPort);
    // An event stays in the outbox until all consumers have confirmed it.
    for (const consumer of streams.issuance.consumers) await this.startConsumer(consumer);
    this.gateway = patient(new Bus(await this.connect('gateway')));
    this.auth = patient(new Bus(await this.connect('auth')));
    this.operator = patient(new Bus(await this.connect('operator')));
    this.directory = new Bus(await this.connect('directory'));
  }

  private async connect(user: BusUser): Promise<NatsConnection> {
    const connection = await connectBus({ url: this.nats.url, nkeySeed: this.nats.seed(user), user }, quiet);
    this.connections.push(connection);
    return connection;
  }
}
