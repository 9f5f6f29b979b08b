import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { streams, type BusUser } from '@holdfast/contracts';
import { Database, migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, EventConsumer } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import {
  appEvent,
  createTestDatabase,
  eventually,
  startTestBus,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { streamBytes } from './metrics.js';
import { OutboxShards1764720000000, outboxTables } from './outbox-table.js';
import { insertOutboxRows, Outbox } from './outbox.js';
import { quarantineTables } from './quarantine-table.js';

class OutboxOnly1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...outboxTables, ...quarantineTables]) await runner.query(sql);
  }
  async down(): Promise<void> {}
}

const quiet = createLogger('test', 'fatal');
Logger.overrideLogger(false);

const buses = {} as Record<'own' | 'eu2', TestBus>;
const applied = { own: [] as string[], eu2: [] as string[] };
const closing: (() => unknown)[] = [];
let tables: TestDatabase;
let database: Database;
let outbox: Outbox;

async function connectTo(bus: TestBus, user: BusUser): Promise<NatsConnection> {
  const connection = await connectBus({ url: bus.url, nkeySeed: bus.seed(user), user }, quiet);
  closing.push(() => connection.close());
  return connection;
}

beforeAll(async () => {
  tables = await createTestDatabase('directory', (url) =>
    migrate('directory', url, [OutboxOnly1700000000000, OutboxShards1764720000000]),
  );
  [buses.own, buses.eu2] = await Promise.all([startTestBus(), startTestBus()]);
  database = await Database.connect({ url: tables.url(), pool: 4, applicationName: 'test' });
  closing.push(() => database.close());
  for (const [name, bus] of Object.entries(buses)) {
    await declareStreams(await connectTo(bus, 'deploy'));
    for (const consumer of streams.directory.consumers) {
      const events = new EventConsumer(
        streams.directory,
        consumer,
        new Bus(await connectTo(bus, consumer)),
        async (batch) => {
          await Promise.resolve();
          if (consumer === 'audit') applied[name as 'own' | 'eu2'].push(...batch.map(({ id }) => id));
        },
      );
      events.start();
      closing.push(() => events.stop());
    }
  }
  outbox = new Outbox(streams.directory, database, await connectTo(buses.own, 'directory'));
  outbox.addShard('eu2', await connectTo(buses.eu2, 'directory'));
  for (const { relay } of outbox.lanes) {
    await relay.start({ sweep: 200, confirm: 200, metrics: 200 });
    closing.push(() => relay.stop());
  }
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await Promise.all(Object.values(buses).map((bus) => bus.stop()));
  await tables.drop();
});

/** Commits one event of each shard. Resolves to their ids. */
async function emit(): Promise<{ own: string; eu2: string }> {
  const rows = [outbox.row(appEvent()), outbox.row(appEvent(), 'eu2')];
  await database.transaction((sql) => insertOutboxRows(sql, rows));
  await outbox.published(rows);
  return { own: rows[0]!.id, eu2: rows[1]!.id };
}
const unconfirmed = async () =>
  (await tables.query<{ id: string }>('SELECT id FROM directory.outbox WHERE NOT confirmed')).map(({ id }) => id);

it('publishes each event on the bus of its shard only, and confirms it', async () => {
  const ids = await emit();
  await eventually(() => expect(applied).toEqual({ own: [ids.own], eu2: [ids.eu2] }));
  await eventually(async () => expect(await unconfirmed()).toEqual([]));
});

it('while the bus of a shard is down, confirms the events of the others, and its own ones afterwards', async () => {
  await buses.eu2.kill();
  const ids = await emit();
  await eventually(async () => expect(await unconfirmed()).toEqual([ids.eu2]));
  expect(applied.own).toContain(ids.own);
  await buses.eu2.restart();
  await eventually(async () => expect(await unconfirmed()).toEqual([]));
  expect(applied.eu2).toContain(ids.eu2);
  expect(applied.own).not.toContain(ids.eu2);
});

it('shows the size of the streams of all shards, also while nothing is unconfirmed', async () => {
  const shown = async () => (await streamBytes.get()).values.map(({ value }) => value);
  await emit();
  await eventually(async () => expect(await unconfirmed()).toEqual([]));
  // What was read last while events were stored. Every consumer has acknowledged them, so the streams are empty.
  for (const { labels } of (await streamBytes.get()).values) streamBytes.set(labels, 1000);
  expect(await shown()).toEqual([1000, 1000]);
  await eventually(async () => expect(await shown()).toEqual([0, 0]));
});
