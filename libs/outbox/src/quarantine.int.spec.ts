import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Logger, Module } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { quarantines, streams, type BusUser, type DirectoryEvent, type ServiceName } from '@holdfast/contracts';
import { Database, migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, EventConsumer, type ApplyBatch } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { register, startService, type RunningService } from '@holdfast/service';
import {
  appEvent,
  createTestDatabase,
  eventually,
  patient,
  startTestBus,
  testConfig,
  testContext,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { outboxProvider } from './outbox-provider.js';
import { OutboxShards1764720000000, outboxTables } from './outbox-table.js';
import { insertOutboxRows, Outbox } from './outbox.js';
import { quarantineTables } from './quarantine-table.js';
import { quarantineController } from './quarantine.js';

class Tables1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...outboxTables, ...quarantineTables]) await runner.query(sql);
    await new OutboxShards1764720000000().up(runner);
  }
  async down(): Promise<void> {}
}

// The usual intervals, at which nothing is to be done most of the time, would be most of the duration of these tests.
const batched = { ...streams.directory, batchedSubjects: ['evt.directory.app.updated'] };
const quickOutbox = outboxProvider(batched, undefined, { sweep: 200, confirm: 200, quarantine: 200 });

@Module({ controllers: [quarantineController(quarantines.directory)], providers: [quickOutbox] })
class Directory {}

const droppedName = 'holdfast_bus_messages_dropped_total';
const quiet = createLogger('test', 'fatal');
let nats: TestBus;
let tables: TestDatabase;
let directory: RunningService;
let operator: Bus;
let closing: (() => unknown)[];
/** Events that audit cannot apply, and those that it has applied. */
let poison: Set<string>;
let applied: Set<string>;

const as = async (user: BusUser): Promise<Bus> => {
  const connection = await connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);
  closing.push(() => connection.close());
  return patient(new Bus(connection));
};
const consumer = async (name: ServiceName, apply: ApplyBatch<DirectoryEvent>): Promise<void> => {
  const events = new EventConsumer(streams.directory, name, await as(name), apply, { retryAfterMs: 20 });
  events.start();
  closing.push(() => events.stop());
};
const emit = async (events: DirectoryEvent[]): Promise<void> => {
  const outbox = directory.app.get(Outbox);
  const rows = events.map((e) => outbox.row(e));
  await directory.app.get(Database).transaction((sql) => insertOutboxRows(sql, rows));
  await outbox.published(rows);
};
const unconfirmed = async (): Promise<string[]> =>
  (await tables.query<{ id: string }>('SELECT id FROM directory.outbox WHERE NOT confirmed')).map(({ id }) => id);
const list = () => operator.request(quarantines.directory.list, {}, testContext());
const metric = async (name: string, labels: object): Promise<number | undefined> =>
  (await register.getSingleMetric(name)!.get()).values.find((v) =>
    Object.entries(labels).every(([key, value]) => v.labels[key] === value),
  )?.value;

beforeAll(async () => {
  tables = await createTestDatabase('directory', (url) => migrate('directory', url, [Tables1700000000000]));
});
beforeEach(async () => {
  [closing, poison, applied] = [[], new Set(), new Set()];
  nats = await startTestBus();
  await tables.query('TRUNCATE directory.outbox, directory.quarantined_event');
  await declareStreams((await as('deploy')).connection);
  operator = await as('operator');
  const config = { ...testConfig(nats, 'directory'), DATABASE_URL: tables.url() };
  directory = await startService({
    service: 'directory',
    config,
    module: Directory,
    database: { url: config.DATABASE_URL, pool: 4 },
    logger: quiet,
  });
  Logger.overrideLogger(false);
  await consumer('audit', async (events) => {
    if (events.some((e) => poison.has(e.id))) throw new TypeError('a bug');
    for (const e of events) applied.add(e.id);
  });
  // Signals runs in some tests only.
  for (const other of streams.directory.consumers.filter((name) => name !== 'audit' && name !== 'signals'))
    await consumer(other, () => Promise.resolve());
});
afterEach(async () => {
  await directory.stop();
  for (const close of closing.reverse()) await close();
  await nats.stop();
});
afterAll(() => tables.drop());

test('quarantines an event that cannot be applied, confirms later ones, and applies it once it can be', async () => {
  await consumer('signals', () => Promise.resolve());
  const [bad, others] = [appEvent(), Array.from({ length: 50 }, () => appEvent())];
  poison.add(bad.id);
  await emit([...others.slice(0, 25), bad, ...others.slice(25)]);
  await eventually(async () =>
    expect(await list()).toMatchObject({
      count: 1,
      events: [{ event: bad.id, type: 'app.updated', consumer: 'audit', reason: 'TypeError', retries: 0 }],
    }),
  );
  await eventually(async () => expect(await unconfirmed()).toEqual([bad.id]));
  expect(applied.size).toBe(50);
  await eventually(async () =>
    expect(await metric('holdfast_events_quarantined', { stream: 'DIRECTORY', consumer: 'audit' })).toBe(1),
  );

  // A retry fails: the event is quarantined again.
  expect(await operator.request(quarantines.directory.retry, { event: bad.id }, testContext())).toEqual({ retried: 1 });
  await eventually(async () =>
    expect(await list()).toMatchObject({ count: 1, events: [{ event: bad.id, retries: 1 }] }),
  );
  expect(await unconfirmed()).toEqual([bad.id]);

  poison.clear();
  // A retry that is due happens without an operator.
  await tables.query('UPDATE directory.quarantined_event SET retry_at = now()');
  await eventually(() => expect(applied).toContain(bad.id));
  await eventually(async () => expect(await unconfirmed()).toEqual([]));
  await eventually(async () => expect(await list()).toEqual({ events: [], count: 0 }));
});

test('keeps every event of a message that an older consumer cannot read, and delivers each alone', async () => {
  const old = await as('signals');
  const events = Array.from({ length: 5 }, () => appEvent());
  await emit(events);
  const pull = await jetstream(old.connection).consumers.get('DIRECTORY', 'signals');
  const message = await eventually(async () => (await pull.next({ expires: 1000 })) ?? false);
  expect(message.json<DirectoryEvent[]>().map(({ id }) => id)).toEqual(events.map(({ id }) => id));
  // It knows the event by the id of the message only. The rows have their number by its fifth attempt.
  await eventually(async () =>
    expect(await tables.query('SELECT FROM directory.outbox WHERE stream_seq IS NOT NULL')).toHaveLength(5),
  );
  const [event] = message.headers!.get('Nats-Msg-Id').split('.') as [string];
  expect(
    await old.request(
      quarantines.directory.quarantine,
      { event, reason: 'does not fit' },
      testContext({ actor: { type: 'system', id: 'signals' } }),
    ),
  ).toEqual({ known: true });
  message.ack();
  expect((await list()).events.map((held) => held.event).sort()).toEqual(events.map(({ id }) => id).sort());

  await operator.request(quarantines.directory.retry, {}, testContext());
  const alone = new Set<string>();
  await eventually(async () => {
    const next = await pull.next({ expires: 1000 });
    if (next) {
      alone.add(next.json<DirectoryEvent>().id);
      next.ack();
    }
    expect(alone).toEqual(new Set(events.map(({ id }) => id)));
  });
  await eventually(async () => expect(await unconfirmed()).toEqual([]));
});

test('drops and counts an event that its producer never emitted, after the last attempt', async () => {
  const stolen = await as('directory');
  const before = (await metric(droppedName, { subject: 'evt.directory.>' })) ?? 0;
  const foreignBefore = (await metric(droppedName, { subject: 'DIRECTORY', reason: 'sender' })) ?? 0;
  for (const [body, msgID] of [
    // Acknowledged at once: it is no event at all.
    ['', randomUUID()],
    ['{"pattern":"rpc.directory.create-organization","id":"1","data":{}}', undefined],
    [JSON.stringify(appEvent()).replace('app.updated', 'no.such'), 'x'],
  ] as const) {
    await jetstream(stolen.connection).publish('evt.directory.app.updated', body, msgID === undefined ? {} : { msgID });
  }
  // On a busy machine JetStream delivers one of them again before its last attempt has ended.
  await eventually(async () =>
    expect(await metric(droppedName, { subject: 'evt.directory.>' })).toBeGreaterThanOrEqual(before + 2),
  );
  const foreign = await metric(droppedName, { subject: 'DIRECTORY', reason: 'sender' });
  expect(foreign).toBeGreaterThan(foreignBefore);
  const manager = await jetstreamManager((await as('deploy')).connection, { checkAPI: false });
  await eventually(async () =>
    expect(await manager.consumers.info('DIRECTORY', 'audit')).toMatchObject({ num_pending: 0, num_ack_pending: 0 }),
  );
  expect(await list()).toEqual({ events: [], count: 0 });
  const good = appEvent();
  await emit([good]);
  await eventually(() => expect(applied).toContain(good.id));
});

test('delivers to the other consumers while one fills the stream, and later everything to that one', async () => {
  // Signals is not running, and the stream is too small for all events.
  const manager = await jetstreamManager((await as('deploy')).connection, { checkAPI: false });
  const { config } = await manager.streams.info('DIRECTORY');
  await manager.streams.update('DIRECTORY', { ...config, max_bytes: 65_536 });
  await eventually(async () => {
    await emit([appEvent()]);
    expect(await metric('holdfast_stream_max_bytes', { stream: 'DIRECTORY' })).toBe(65_536);
  });
  const events = Array.from({ length: 200 }, () => ({ ...appEvent(), padding: 'x'.repeat(300) }));
  for (let i = 0; i < events.length; i += 20) await emit(events.slice(i, i + 20));
  await eventually(() => expect(events.filter((e) => !applied.has(e.id))).toEqual([]));
  const { state } = await manager.streams.info('DIRECTORY');
  expect(state.messages).toBeLessThan(150);
  expect((await unconfirmed()).length).toBeGreaterThanOrEqual(200);

  const bySignals = new Set<string>();
  await consumer('signals', async (batch) => batch.forEach((e) => bySignals.add(e.id)));
  await eventually(() => expect(events.filter((e) => !bySignals.has(e.id)).length).toBe(0));
  await eventually(async () => expect(await unconfirmed()).toEqual([]));
});
