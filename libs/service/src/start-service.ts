import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  Module,
  Logger as NestLog,
  type DynamicModule,
  type INestApplicationContext,
  type Provider,
  type Type,
} from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { contracts, type ServiceName } from '@holdfast/contracts';
import {
  Database,
  fencedOrganizations,
  LazyDatabase,
  ReadDatabase,
  serverReason,
  type DatabaseOptions,
} from '@holdfast/data';
import {
  announceReplica,
  Bus,
  BusTransport,
  configureAdmission,
  configureFairAdmission,
  connectBus,
  countDroppedMessage,
  FencedOrganizations,
  lookUpShardsOver,
  OrganizationShards,
  OutgoingLimits,
  OwnOrganizations,
  Replicas,
  reportDroppedMessages,
  Shards,
  startConsumers,
  systemContext,
  unsupportedVersion,
  type BusOptions,
  type FairAdmissionLimits,
  type LookUpShards,
  type OutgoingLimitsOptions,
} from '@holdfast/messaging';
import { CLOCK, createLogger, nestLogger, type BaseConfig, type Clock, type Logger } from '@holdfast/platform';
import { ClockWatch } from './clock-watch.js';
import { DueChecks } from './due-checks.js';
import { handOver } from './hand-over.js';
import { startIntervals } from './interval.js';
import { CONFIG, LOGGER, Readiness, Shutdown, WHOLE_DATABASE } from './lifecycle.js';
import { discardDelayOfStart, observePool, startDefaultMetrics, testClockOffset } from './metrics.js';
import { startOpsServer } from './ops-server.js';
import { replicaReportHandler } from './replica-report.js';
import type { ReportedSettings } from './reportable-settings.js';

export interface ServiceOptions<Config extends BaseConfig> {
  service: ServiceName;
  config: Config;
  module: Type | DynamicModule;
  /** Absent for a service without a database. */
  database?: Omit<DatabaseOptions, 'queryTimeoutMs' | 'applicationName'> & {
    /** A streaming replica, for what is read through ReadDatabase. */
    readUrl?: string | undefined;
    /** Connections of the pool that only users of WHOLE_DATABASE get. */
    reserved?: number;
  };
  /** How a service that owns the organizations looks their shards up; the others query directory. */
  lookUpShards?: (database: Database) => LookUpShards;
  /** Limits of concurrent requests to other services, for services with an unlimited number of callers. */
  outgoing?: OutgoingLimitsOptions;
  /** How requests that are divided by organization are (`dividedByOrganization` of a contract). */
  fairAdmission?: Partial<FairAdmissionLimits>;
  /** For tests: replaces the service's time. */
  clock?: Clock;
  /** For tests: replaces the machine's clock, which is compared with PostgreSQL's and with those of other services. */
  machineTimeMs?: () => number;
  logger?: Logger;
  /** What the operator may see of its settings (reportableSettings). */
  settings?: ReportedSettings;
  /** Creates the app instead of a plain microservice: for services that also serve HTTP. */
  createApp?: (root: DynamicModule, transport: BusTransport) => Promise<INestApplicationContext>;
}

export interface RunningService {
  app: INestApplicationContext;
  connection: NatsConnection;
  /** Port of `/readyz` and `/metrics`. */
  opsPort: number;
  stop(): Promise<void>;
}

/** How often and after which pause a starting service tries to connect to its database. */
const maxAttempts = 60;
/** How long a starting process waits for its connections to further shards. It starts without those that are down. */
const shardsTimeoutMs = 5000;
const retryMs = 500;
/** A replica may hang with its connections open: none is kept for longer. */
const replicaQueryTimeoutMs = 2000;

@Module({})
class ServiceRoot {}

/**
 * Starts a service: NATS connection, database, the Nest app with its handlers, health and metrics. It handles requests
 * only once all of them are up. stop() accepts no more requests, completes the running ones and closes the connections.
 *
 * The parts are made here and given to Nest as values. Providers with lifecycle hooks could not keep this order: the
 * transport needs the connection before there is an app, and the app is closed in the middle of stop(), before
 * consumers, connections and the database.
 */
export async function startService<Config extends BaseConfig>(
  options: ServiceOptions<Config>,
): Promise<RunningService> {
  const { service, config, module } = options;
  const logger = options.logger ?? createLogger(service, config.LOG_LEVEL, config.HOLDFAST_REPLICA);
  configureProcess(options, logger);
  const offset = config.HOLDFAST_TEST_CLOCK;
  const watch = new ClockWatch({
    hasDatabase: options.database !== undefined,
    maxOffsetMs: config.CLOCK_MAX_OFFSET_MS,
    testOffsetMs: (offset ?? 0) * 1000,
    machineMs: options.machineTimeMs,
  });
  // A new id at each start: requests to an earlier process of this replica must not reach this one.
  const replica = randomBytes(9).toString('hex');
  const busOptions: BusOptions = {
    url: config.NATS_URL,
    nkeySeed: config.NATS_NKEY_SEED,
    user: service,
    caFile: config.NATS_CA_FILE,
    replica: { service, id: replica },
  };
  const connection = await connectBus(busOptions, logger);
  const applicationName = `holdfast ${service}`;
  const database = options.database && (await connectDatabase({ ...options.database, applicationName }, watch, logger));
  if (database) observePool(() => database.pool);
  const readiness = new Readiness();
  const shared = database && withoutReserved(database, options.database!);
  const reads = shared && readDatabase(shared, { ...options.database!, applicationName });
  if (reads) readiness.addProblems(() => reads.remarks());
  const shutdown = new Shutdown();
  const called = contracts.flatMap((contract) => (contract.callers.includes(service) ? contract.service : []));
  // Each bus has its own limits of concurrent requests: a shard that hangs does not use up those of the others.
  const busOf = (to: NatsConnection): Bus => {
    const replicas = new Replicas(to, (from, announcement) => watch.observePeer(from, announcement));
    replicas.watchServices(called);
    return new Bus(
      to,
      ({ subject }, detail) => countDroppedMessage(subject, 'body', `invalid reply: ${detail}`),
      replicas,
      options.outgoing && new OutgoingLimits(options.outgoing),
    );
  };
  const bus = busOf(connection);
  const organizations = new OrganizationShards(
    database && options.lookUpShards
      ? options.lookUpShards(database)
      : lookUpShardsOver(bus, () => systemContext(service)),
  );
  const shards = new Shards({
    urls: config.SHARDS ?? {},
    connect: (url, signal) => connectBus({ ...busOptions, url, signal }, logger),
    busOf,
    organizations,
  });
  if (shards.several) bus.shards = shards;
  const fences =
    config.SHARD === undefined || !database
      ? undefined
      : new FencedOrganizations(() => database.rows(fencedOrganizations));
  const own = config.SHARD === undefined ? undefined : new OwnOrganizations(config.SHARD, organizations, fences);
  fences?.start();
  const providers: Provider[] = [
    { provide: Bus, useValue: bus },
    { provide: Shards, useValue: shards },
    { provide: CONFIG, useValue: config },
    { provide: LOGGER, useValue: logger },
    { provide: CLOCK, useValue: options.clock ?? watch },
    { provide: Readiness, useValue: readiness },
    { provide: Shutdown, useValue: shutdown },
    // TypeORM's own token, so that modules import TypeOrmModule.forFeature() and inject repositories.
    ...(database
      ? [
          { provide: Database, useValue: shared },
          { provide: WHOLE_DATABASE, useValue: database },
          { provide: ReadDatabase, useValue: reads },
          { provide: getDataSourceToken(), useValue: database.orm },
        ]
      : []),
  ];
  const root: DynamicModule = {
    module: ServiceRoot,
    global: true,
    imports: [DiscoveryModule, module],
    controllers: [replicaReportHandler(service, readiness, options.settings ?? {})],
    providers,
    exports: providers,
  };
  const transport = new BusTransport(connection, service, replica, own);
  const app = await (options.createApp ?? microservice)(root, transport);
  const consumers = [startConsumers(app, service, bus, own)];
  const intervals = startIntervals(app);
  // The server has processed the subscriptions after this. If the connection has broken meanwhile, /readyz says so.
  await connection.flush().catch(() => undefined);

  readiness.addCheck(() => !connection.isClosed());
  readiness.addDependency('NATS', () => connection.flush().then(() => unsupportedVersion(connection)));
  if (database) {
    // With the question of the jobs, which is asked at the same time.
    const clock = intervals.checks ?? clockOf(database, watch);
    readiness.addDependency('PostgreSQL', () =>
      compareClocks(clock, watch).then(
        () => undefined,
        (error: unknown) => serverReason(error) ?? Promise.reject(error as Error),
      ),
    );
  }
  readiness.addCheck(() => watch.trust() !== 'wrong');
  readiness.addProblems(() => watch.remarks());
  readiness.addProblems(() => [...consumers.flatMap((running) => running.remarks()), ...intervals.remarks()]);
  const watching = watch.start(logger);
  const isHealthy = async () => (await readiness.report()).healthy;
  const announce = (to: NatsConnection) =>
    announceReplica(to, service, replica, isHealthy, () => watch.machineTimeMs());
  const announcers = [announce(connection)];
  shards.onConnected(({ bus: ofShard }) => {
    consumers.push(startConsumers(app, service, ofShard));
    transport.serve(ofShard.connection);
    announcers.push(announce(ofShard.connection));
  });
  await shards.start(shardsTimeoutMs);
  await discardDelayOfStart();
  const ops = await startOpsServer(config.OPS_PORT, config.OPS_HOST, readiness, offset);
  logger.info({ opsPort: (ops.address() as AddressInfo).port }, `${service} is up`);

  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      await handOver(connection, service, replica, config.SUCCESSOR_SECONDS);
      readiness.stop();
      watching.stop();
      fences?.stop();
      await Promise.all(announcers.map((announcer) => announcer.leave()));
      // First the app, so that it accepts no more requests. Then jobs and consumers, whose events the relay still
      // publishes. Then the connections.
      await app.close();
      await Promise.all([intervals, ...consumers].map((running) => running.stop()));
      await shutdown.run();
      await shards.stop();
      await connection.drain().catch(() => undefined);
      await reads?.close();
      await database?.close();
      ops.closeAllConnections();
      await new Promise((resolve) => ops.close(resolve));
      logger.info(`${service} has stopped`);
    })());
  return { app, connection, opsPort: (ops.address() as AddressInfo).port, stop };
}

/** What the whole process has one of: Nest's logger, metrics, and the limits of requests that arrive. */
function configureProcess(
  { service, config, fairAdmission }: Pick<ServiceOptions<BaseConfig>, 'service' | 'config' | 'fairAdmission'>,
  logger: Logger,
): void {
  NestLog.overrideLogger(nestLogger(logger));
  reportDroppedMessages((line) => new NestLog('bus').warn(line));
  startDefaultMetrics();
  const { ADMISSION_RUNNING: maxRunning, ADMISSION_QUEUED: maxQueued, ADMISSION_WAIT_MS: maxWaitMs } = config;
  configureAdmission(service, {
    ...(maxRunning !== undefined && { maxRunning }),
    ...(maxQueued !== undefined && { maxQueued }),
    ...(maxWaitMs !== undefined && { maxWaitMs }),
  });
  if (fairAdmission) configureFairAdmission(service, fairAdmission);
  const offset = config.HOLDFAST_TEST_CLOCK;
  testClockOffset.set(offset ?? 0);
  if (offset === undefined) return;
  const shift = `${offset < 0 ? '' : '+'}${offset} s`;
  logger.warn(`HOLDFAST_TEST_CLOCK shifts this service's clock by ${shift}. Unset it outside tests.`);
}

async function microservice(root: DynamicModule, strategy: BusTransport): Promise<INestApplicationContext> {
  const app = await NestFactory.createMicroservice(root, { strategy, bufferLogs: false, abortOnError: false });
  await app.listen();
  return app;
}

function withoutReserved(
  database: Database,
  { pool, reserved = 0 }: NonNullable<ServiceOptions<BaseConfig>['database']>,
): Database {
  return reserved > 0 ? database.limitedTo(Math.max(1, pool - reserved)) : database;
}

/** Reads of the service: from a replica if there is one. The service starts and works without it. */
function readDatabase(
  primary: Database,
  {
    readUrl,
    entities: _,
    reserved: __,
    ...options
  }: NonNullable<ServiceOptions<BaseConfig>['database']> & { applicationName: string },
): ReadDatabase {
  if (readUrl === undefined) return new ReadDatabase(primary);
  return new ReadDatabase(
    primary,
    new LazyDatabase({ ...options, url: readUrl, queryTimeoutMs: replicaQueryTimeoutMs }),
  );
}

function clockOf(database: Database, watch: ClockWatch): DueChecks {
  return new DueChecks(database, watch, new Map());
}

/** Checks that the database responds, and reads its clock. */
async function compareClocks(clock: DueChecks, watch: ClockWatch): Promise<void> {
  watch.observeDatabase(await clock.databaseTime());
}

/** Waits for a database that is not up yet, so that any start order works, and reads its clock before anything runs. */
async function connectDatabase(options: DatabaseOptions, watch: ClockWatch, logger: Logger): Promise<Database> {
  for (let attempt = 1; ; attempt += 1) {
    let database: Database | undefined;
    try {
      database = await Database.connect(options);
      await compareClocks(clockOf(database, watch), watch);
      return database;
    } catch (error) {
      await database?.close().catch(() => undefined);
      if (attempt === 1)
        logger.warn({ err: error }, `the database is unavailable; retrying for ${(maxAttempts * retryMs) / 1000} s`);
      if (attempt >= maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
