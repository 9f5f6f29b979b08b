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
import { Database, statement, type DatabaseOptions } from '@holdfast/data';
import {
  announceReplica,
  Bus,
  BusTransport,
  configureAdmission,
  connectBus,
  countDroppedMessage,
  OutgoingLimits,
  Replicas,
  reportDroppedMessages,
  startConsumers,
  tooOld,
  type OutgoingLimitsOptions,
} from '@holdfast/messaging';
import { CLOCK, createLogger, nestLogger, type BaseConfig, type Clock, type Logger } from '@holdfast/platform';
import { ClockWatch } from './clock-watch.js';
import { startIntervals } from './interval.js';
import { CONFIG, LOGGER, Readiness, Shutdown } from './lifecycle.js';
import { startDefaultMetrics, testClockOffset } from './metrics.js';
import { startOpsServer } from './ops-server.js';

export interface ServiceOptions<Config extends BaseConfig> {
  service: ServiceName;
  config: Config;
  module: Type | DynamicModule;
  /** Given when the service has a database. */
  database?: Pick<DatabaseOptions, 'url' | 'passwordFile' | 'pool' | 'entities'>;
  /** Of what it asks others, where its own callers are many. */
  outgoing?: OutgoingLimitsOptions;
  /** For tests: the time that the service goes by, whatever any clock says. */
  clock?: Clock;
  /** For tests: what the clock of this machine shows, which is compared with PostgreSQL's and with that of others. */
  machineTimeMs?: () => number;
  logger?: Logger;
  /** Builds the app in place of a plain microservice: for services that also speak HTTP. */
  createApp?: (root: DynamicModule, transport: BusTransport) => Promise<INestApplicationContext>;
}

export interface RunningService {
  app: INestApplicationContext;
  connection: NatsConnection;
  /** Where `/readyz` and `/metrics` are. */
  opsPort: number;
  stop(): Promise<void>;
}

const readClock = statement('read_clock', 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms');

@Module({})
class ServiceRoot {}

/**
 * Starts a service: bus, database, the Nest app with its handlers, health and metrics. Nothing answers before all of it
 * is there; stop() takes no more work, finishes what it has, and closes.
 */
export async function startService<Config extends BaseConfig>(
  options: ServiceOptions<Config>,
): Promise<RunningService> {
  const { service, config, module } = options;
  const logger = options.logger ?? createLogger(service, config.LOG_LEVEL, config.HOLDFAST_REPLICA);
  NestLog.overrideLogger(nestLogger(logger));
  reportDroppedMessages((line) => new NestLog('bus').warn(line));
  startDefaultMetrics();
  const { ADMISSION_RUNNING: maxRunning, ADMISSION_QUEUED: maxQueued, ADMISSION_WAIT_MS: maxWaitMs } = config;
  configureAdmission(service, {
    ...(maxRunning !== undefined && { maxRunning }),
    ...(maxQueued !== undefined && { maxQueued }),
    ...(maxWaitMs !== undefined && { maxWaitMs }),
  });
  const offset = config.HOLDFAST_TEST_CLOCK;
  testClockOffset.set(offset ?? 0);
  if (offset !== undefined) {
    const shift = `${offset < 0 ? '' : '+'}${offset} s`;
    logger.warn(`HOLDFAST_TEST_CLOCK shifts this service's clock by ${shift}. Unset it outside tests.`);
  }

  const watch = new ClockWatch({
    hasDatabase: options.database !== undefined,
    maxOffsetMs: config.CLOCK_MAX_OFFSET_MS,
    testOffsetMs: (offset ?? 0) * 1000,
    machineMs: options.machineTimeMs,
  });
  const connection = await connectBus({ url: config.NATS_URL, nkeySeed: config.NATS_NKEY_SEED, user: service }, logger);
  const database =
    options.database &&
    (await connectDatabase({ ...options.database, applicationName: `holdfast ${service}` }, watch, logger));
  const readiness = new Readiness();
  const shutdown = new Shutdown();
  const replicas = new Replicas(connection, (from, alive) => watch.hear(from, alive));
  replicas.watchServices(contracts.flatMap((contract) => (contract.callers.includes(service) ? contract.service : [])));
  const providers: Provider[] = [
    {
      provide: Bus,
      useValue: new Bus(
        connection,
        ({ subject }, detail) => countDroppedMessage(subject, 'body', `as a reply: ${detail}`),
        replicas,
        options.outgoing && new OutgoingLimits(options.outgoing),
      ),
    },
    { provide: CONFIG, useValue: config },
    { provide: LOGGER, useValue: logger },
    { provide: CLOCK, useValue: options.clock ?? watch },
    { provide: Readiness, useValue: readiness },
    { provide: Shutdown, useValue: shutdown },
    // Under TypeORM's own token, so that modules import TypeOrmModule.forFeature() and inject repositories.
    ...(database
      ? [
          { provide: Database, useValue: database },
          { provide: getDataSourceToken(), useValue: database.orm },
        ]
      : []),
  ];
  const root: DynamicModule = {
    module: ServiceRoot,
    global: true,
    imports: [DiscoveryModule, module],
    providers,
    exports: providers,
  };
  // Of this process and no other: what a predecessor was sent is not for us.
  const replica = randomBytes(9).toString('hex');
  const transport = new BusTransport(connection, service, replica);
  const app = await (options.createApp ?? microservice)(root, transport);
  const consumers = startConsumers(app, service);
  const intervals = startIntervals(app);
  // Subscriptions are on their way; whoever waits for us to be up may ask from now on. Away again already: readyz will
  // say.
  await connection.flush().catch(() => undefined);

  readiness.addCheck(() => !connection.isClosed() && connection.flush().then(() => !tooOld(connection)));
  if (database) readiness.addCheck(() => compareClocks(database, watch).then(() => true));
  readiness.addCheck(() => watch.trust() !== 'wrong');
  readiness.addRemarks(() => watch.remarks());
  const watching = watch.start(logger);
  const isReady = () => withLimit(readiness.ready(), 2000);
  const answers = contracts.some((contract) => contract.service === service);
  const announcements = answers
    ? announceReplica(connection, service, replica, isReady, () => watch.machineTimeMs())
    : undefined;
  const ops = await startOpsServer(config.OPS_PORT, config.OPS_HOST, isReady, offset, () => readiness.remarks);
  logger.info({ opsPort: (ops.address() as AddressInfo).port }, `${service} is up`);

  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      clearInterval(watching);
      await announcements?.leave();
      // The app first, so that it takes no more requests; then jobs and consumers, whose events the relays still
      // publish; then the connections.
      await app.close();
      await Promise.all([intervals.stop(), consumers.stop()]);
      await shutdown.run();
      await connection.drain().catch(() => undefined);
      await database?.close();
      ops.closeAllConnections();
      await new Promise((resolve) => ops.close(resolve));
      logger.info(`${service} has stopped`);
    })());
  return { app, connection, opsPort: (ops.address() as AddressInfo).port, stop };
}

async function microservice(root: DynamicModule, strategy: BusTransport): Promise<INestApplicationContext> {
  const app = await NestFactory.createMicroservice(root, { strategy, bufferLogs: false, abortOnError: false });
  await app.listen();
  return app;
}

/** Each look whether the database answers is a reading of its clock too. */
async function compareClocks(database: Database, watch: ClockWatch): Promise<void> {
  const sentAtMs = watch.monotonicTimeMs();
  const [row] = await database.rows<{ ms: number }>(readClock);
  watch.observeDatabase({ remoteMs: row!.ms, sentAtMs, receivedAtMs: watch.monotonicTimeMs() });
}

/** A database that is not up yet is waited for: any start order works. Its clock is known before anything is done. */
async function connectDatabase(options: DatabaseOptions, watch: ClockWatch, logger: Logger): Promise<Database> {
  for (let attempt = 1; ; attempt += 1) {
    let database: Database | undefined;
    try {
      database = await Database.connect(options);
      await compareClocks(database, watch);
      return database;
    } catch (error) {
      await database?.close().catch(() => undefined);
      if (attempt === 1) logger.warn({ err: error }, 'the database is not there yet; trying again');
      if (attempt >= 60) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

function withLimit(check: Promise<boolean>, ms: number): Promise<boolean> {
  return Promise.race([check, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ms).unref())]);
}
