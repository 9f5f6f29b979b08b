// Two replicas of the service read from a streaming standby: a read never misses what was acknowledged before.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { customerEventSchema, getSubject, listSubjects } from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, ProjectionAcknowledgements } from '@holdfast/messaging';
import { createLogger, customerKey } from '@holdfast/platform';
import { register, startService, type RunningService } from '@holdfast/service';
import {
  createTestDatabase,
  eventually,
  startReplicatedServer,
  startTestBus,
  testContext,
  type ReplicatedServer,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { SubjectsModule } from './app.module.js';
import { configSchema } from './config.js';
import { migrations } from './migrations/index.js';

const logger = createLogger('test', 'fatal');
const connections: NatsConnection[] = [];
let server: ReplicatedServer;
let nats: TestBus;
let database: TestDatabase;
let services: RunningService[];
let issuance: NatsConnection;
let acknowledgements: ProjectionAcknowledgements;
let bus: Bus;

const as = async (user: 'gateway' | 'deploy' | 'issuance') => {
  const connection = await connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, logger);
  connections.push(connection);
  return connection;
};
const context = () => testContext({ actor: { type: 'app', id: 'app-1' } });
const served = async (by: string) => {
  const { values } = (await register.getSingleMetric('holdfast_replica_reads_total')!.get()) as {
    values: { labels: Record<string, string>; value: number }[];
  };
  return values.find(({ labels }) => labels.served === by)?.value ?? 0;
};

/** Resolves when one of the two replicas has acknowledged the event, as a command's response does. */
async function offered(): Promise<string> {
  const [id, subject, createdAt] = [randomUUID(), randomUUID(), new Date().toISOString()];
  const state = { subject, app: 'app-1', createdAt, credentials: [], offers: [] };
  const base = { id, type: 'offer.created', occurredAt: createdAt, org: 'acme', requestId: 'r', traceparent: 't' };
  const event = customerEventSchema.parse({ ...base, subject, version: 1, state });
  const visible = acknowledgements.wait('subjects', id, 10_000);
  await jetstream(issuance).publish('evt.issuance.offer.created', JSON.stringify(event), { msgID: id });
  expect(await visible).toBe(true);
  return subject;
}

/** @returns the reads that do not show the customer, of several at once through both replicas */
async function wrongReads(subject: string): Promise<string[]> {
  const gets = Array.from({ length: 4 }, () => bus.request(getSubject, { subject }, context()));
  const lists = Array.from({ length: 2 }, () => bus.request(listSubjects, { limit: 50 }, context()));
  const [found, pages] = [await Promise.allSettled(gets), await Promise.allSettled(lists)];
  return [
    ...found.map((r) => (r.status === 'fulfilled' ? '' : `get: ${String(r.reason)}`)),
    ...pages.map((r) =>
      r.status === 'fulfilled' && r.value.items.some((item) => item.subject === subject) ? '' : 'list: absent',
    ),
  ].filter(Boolean);
}

async function wrongAfterOffers(times: number): Promise<string[]> {
  const wrong: string[] = [];
  for (let i = 0; i < times; i += 1) wrong.push(...(await wrongReads(await offered())));
  return wrong;
}

async function untilServedBy(by: string): Promise<void> {
  const before = await served(by);
  await eventually(async () => {
    await bus.request(listSubjects, { limit: 1 }, context());
    expect(await served(by)).toBeGreaterThan(before);
  }, 30_000);
}

beforeAll(async () => {
  [server, nats] = await Promise.all([startReplicatedServer(), startTestBus()]);
  database = await createTestDatabase('subjects', (url) => migrate('subjects', url, migrations), {
    server: server.primaryUrl,
  });
  await declareStreams(await as('deploy'));
  const config = configSchema.parse({
    NATS_URL: nats.url,
    NATS_NKEY_SEED: nats.seed('subjects'),
    BASE_URL: 'http://localhost:8080',
    DATABASE_URL: database.url(),
    LOG_LEVEL: 'fatal',
  });
  const readUrl = Object.assign(new URL(database.url()), { host: new URL(server.standbyUrl).host }).href;
  const start = () =>
    startService({
      service: 'subjects',
      config,
      module: SubjectsModule,
      database: { url: config.DATABASE_URL, readUrl, pool: 6 },
      logger,
    });
  services = await Promise.all([start(), start()]);
  bus = new Bus(await as('gateway'));
  issuance = await as('issuance');
  acknowledgements = new ProjectionAcknowledgements(issuance, 'issuance');
}, 60_000);
afterAll(async () => {
  for (const service of services) await service.stop();
  for (const connection of connections) await connection.close();
  await nats.stop();
  await database.drop();
  await server.stop();
}, 60_000);

it('shows a customer at once after the acknowledgement of the offer', async () => {
  await untilServedBy('replica');
  expect(await wrongAfterOffers(100)).toEqual([]);
});

it('shows a customer at once while the standby applies nothing, from the primary', async () => {
  await untilServedBy('replica');
  await server.pauseReplay();
  const before = await served('replica');
  expect(await wrongAfterOffers(20)).toEqual([]);
  expect(await served('replica')).toBe(before);
  await server.resumeReplay();
  await untilServedBy('replica');
});

it('shows a customer at once while the standby is stopped, and uses it again afterwards', async () => {
  await server.stopStandby();
  expect(await wrongAfterOffers(20)).toEqual([]);
  await server.startStandby();
  await untilServedBy('replica');
});

it('answers 503 from the standby while the model is behind a watermark, and recovers by itself', async () => {
  await untilServedBy('replica');
  const subject = await offered();
  const raise = (version: number) =>
    database.query(
      `INSERT INTO watermarks.subjects AS w (org, aggregate, version) VALUES ('acme', $1, $2)
       ON CONFLICT (org, aggregate) DO UPDATE SET version = excluded.version`,
      [customerKey('acme', subject), version],
    );
  await raise(2);
  await expect(bus.request(getSubject, { subject }, context())).rejects.toMatchObject({ code: 'unavailable' });
  await raise(1);
  expect(await wrongReads(subject)).toEqual([]);
});
