import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { BusUser, CustomerEvent } from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger, type Clock } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  createTestDatabase,
  patient,
  startTestBus,
  type ReplicatedServer,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { SubjectsModule } from './app.module.js';
import { configSchema } from './config.js';
import { migrations } from './migrations/index.js';

const logger = createLogger('test', 'fatal');

/** Replicas of the service in this process, with a database and a bus, and the connections of their callers. */
export class SubjectsStack {
  readonly bus: Bus;

  private constructor(
    readonly database: TestDatabase,
    readonly issuance: NatsConnection,
    private readonly nats: TestBus,
    private readonly gateway: NatsConnection,
    private readonly services: RunningService[],
  ) {
    this.bus = patient(new Bus(gateway));
  }

  /** @param server makes the replicas read from its standby */
  static async start({
    replicas = 1,
    server,
    clock,
  }: { replicas?: number; server?: ReplicatedServer; clock?: Clock } = {}): Promise<SubjectsStack> {
    const migrated = (url: string) => migrate('subjects', url, migrations);
    const [nats, database] = await Promise.all([
      startTestBus(),
      createTestDatabase('subjects', migrated, { isCopied: true, ...(server && { server: server.primaryUrl }) }),
    ]);
    const as = (user: BusUser) => connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, logger);
    const [deploy, gateway, issuance] = [await as('deploy'), await as('gateway'), await as('issuance')];
    await declareStreams(deploy);
    await deploy.close();
    const config = configSchema.parse({
      NATS_URL: nats.url,
      NATS_NKEY_SEED: nats.seed('subjects'),
      BASE_URL: 'http://localhost:8080',
      DATABASE_URL: database.url(),
      LOG_LEVEL: 'fatal',
    });
    const services = await Promise.all(
      Array.from({ length: replicas }, () =>
        startService({
          service: 'subjects',
          config,
          module: SubjectsModule,
          database: { url: database.url(), readUrl: server?.standbyUrlOf(database.url()), pool: 6 },
          ...(clock && { clock }),
          logger,
        }),
      ),
    );
    return new SubjectsStack(database, issuance, nats, gateway, services);
  }

  /** As issuance does. */
  async publish(...events: CustomerEvent[]): Promise<void> {
    for (const event of events)
      await jetstream(this.issuance).publish('evt.issuance.offer.created', JSON.stringify(event), { msgID: event.id });
  }

  async stop(): Promise<void> {
    for (const service of this.services) await service.stop();
    for (const connection of [this.gateway, this.issuance]) await connection.close();
    await this.nats.stop();
    await this.database.drop();
  }
}
