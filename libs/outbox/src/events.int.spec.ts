import { cpSync, renameSync, rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { natsUsers, streams, type DirectoryEvent, type ServiceName, type Stream } from '@holdfast/contracts';
import { Database, migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, EventConsumer, type ApplyBatch } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import {
  appEvent,
  createTestDatabase,
  eventually,
  startTestBus,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { OutboxShards1764720000000, outboxTables } from './outbox-table.js';
import { insertOutboxRows, Outbox } from './outbox.js';
import { quarantineTables } from './quarantine-table.js';

class OutboxOnly1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...outboxTables, ...quarantineTables]) await runner.query(sql);
    await new OutboxShards1764720000000().up(runner);
  }
  async down(): Promise<void> {}
}

const quiet = createLogger('test', 'fatal');
const batched = { ...streams.directory, batchedSubjects: ['evt.directory.app.updated'] };
Logger.overrideLogger(false);

describe('outbox and consumers', () => {
  let nats: TestBus;
  let tables: TestDatabase;
  let closing: (() => unknown)[];

  const connectAs = async (user: (typeof natsUsers)[number]): Promise<NatsConnection> => {
    const connection = await connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);
    closing.push(() => connection.close());
    return connection;
  };
  const declare = async () => {
    const connection = await connectAs('deploy');
    const done = await declareStreams(connection);
    await connection.close();
    return done;
  };
  const producer = async (stream: Stream = streams.directory) => {
    const database = await Database.connect({ url: tables.url(), pool: 4, applicationName: 'test' });
    closing.push(() => database.close());
    const outbox = new Outbox(stream, database, await connectAs('directory'));
    // A confirmation needs two readings of the backlog: with the usual two seconds each test would wait for four.
    await outbox.relay.start({ sweep: 200, confirm: 200 });
    closing.push(() => outbox.relay.stop());
    const emit = async (events: DirectoryEvent[]) => {
      const rows = events.map((e) => outbox.row(e));
      // On a busy machine a connection may come too late. Nothing is stored then, so the transaction is repeated.
      await eventually(() => database.transaction((sql) => insertOutboxRows(sql, rows)));
      return outbox.published(rows);
    };
    return { outbox, emit };
  };
  const consumer = async (apply: ApplyBatch<DirectoryEvent>) => {
    const events = new EventConsumer(streams.directory, 'audit', new Bus(await connectAs('audit')), apply, {
      retryAfterMs: 100,
    });
    events.start();
    closing.push(() => events.stop());
    // An event is confirmed once every consumer that gets it has acknowledged it.
    for (const name of others) await applyNothing(name);
  };
  const others = streams.directory.consumers.filter((name) => name !== 'audit');
  const applyNothing = async (name: ServiceName, seen: DirectoryEvent[] = []) => {
    const other = new EventConsumer(
      streams.directory,
      name,
      new Bus(await connectAs(name)),
      async (events) => void seen.push(...events),
    );
    other.start();
    closing.push(() => other.stop());
  };
  const unconfirmed = async () =>
    Number((await tables.query<{ n: number }>('SELECT count(*) AS n FROM directory.outbox WHERE NOT confirmed'))[0]!.n);

  beforeAll(async () => {
    tables = await createTestDatabase('directory', (url) => migrate('directory', url, [OutboxOnly1700000000000]));
  });
  beforeEach(async () => {
    closing = [];
    nats = await startTestBus();
    await tables.query('TRUNCATE directory.outbox, directory.quarantined_event');
  });
  afterEach(async () => {
    for (const close of closing.reverse()) await close();
    await nats.stop();
  });
  afterAll(() => tables.drop());

  it('keeps events when streams are declared again', async () => {
    const first = await declare();
    expect(first).toContain('consumer ISSUANCE/audit');
    const { emit } = await producer();
    await emit([appEvent()]);
    expect(await declare()).toEqual(first);
    const applied: string[] = [];
    await consumer(async (events) => void applied.push(...events.map((e) => e.id)));
    await eventually(() => expect(applied).toHaveLength(1));
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('rejects an event that does not fit the schema of its stream', async () => {
    const { outbox } = await producer();
    expect(() => outbox.row({ ...appEvent(), occurredAt: '+010000-01-01T00:00:00.000Z' })).toThrow('occurredAt');
  });

  it('resolves published() when audit has applied the event', async () => {
    await declare();
    const applied = new Set<string>();
    await consumer(async (events) => events.forEach((e) => applied.add(e.id)));
    const { emit } = await producer();
    await emit([appEvent()]);
    const tookMs: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const e = appEvent();
      const startedAt = performance.now();
      await emit([e]);
      if (applied.has(e.id)) tookMs.push(performance.now() - startedAt);
    }
    // It does not end by its timeout of a second. A busy machine makes some late, and not all of them.
    expect(Math.min(...tookMs)).toBeLessThan(1000);
  });

  it('deletes the rows that every consumer has applied, except those that their producer confirms itself', async () => {
    await declare();
    const retained = 'evt.directory.app.updated';
    const { outbox } = await producer({ ...streams.directory, producerConfirmedSubjects: [retained] });
    const row = (aggregate: string, type: string) => ({
      ...outbox.row(appEvent()),
      aggregate,
      subject: `evt.directory.${type}`,
    });
    const rows = [
      row('ada', 'app.created'),
      row('bob', 'app.created'),
      row('ada', 'app.updated'),
      row('ada', 'organization.updated'),
      row('cleo', 'organization.created'),
    ];
    await tables.query(
      `INSERT INTO directory.outbox (id, aggregate, subject, payload)
       SELECT id, aggregate, subject, payload FROM json_populate_recordset(NULL::directory.outbox, $1)`,
      [JSON.stringify(rows)],
    );
    await consumer(() => Promise.resolve());
    await eventually(async () => expect(await unconfirmed()).toBe(0));
    expect(await tables.query('SELECT aggregate, subject FROM directory.outbox')).toEqual([
      { aggregate: 'ada', subject: retained },
    ]);
  });

  it('deletes a row without an update when its consumers apply the event soon', async () => {
    await declare();
    await consumer(() => Promise.resolve());
    await tables.query(`CREATE FUNCTION directory.refuse() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'an update'; END $$`);
    await tables.query(
      'CREATE TRIGGER refuse BEFORE UPDATE ON directory.outbox FOR EACH ROW EXECUTE FUNCTION directory.refuse()',
    );
    try {
      const { emit } = await producer();
      for (let i = 0; i < 5; i += 1) await emit([appEvent(), appEvent()]);
      await eventually(async () => expect(await unconfirmed()).toBe(0));
    } finally {
      await tables.query('DROP FUNCTION directory.refuse() CASCADE');
    }
  });

  it('publishes the events of a turn of the event loop in few messages, and deletes all their rows', async () => {
    await declare();
    const applied: string[] = [];
    await consumer(async (events) => void applied.push(...events.map(({ id }) => id)));
    const { outbox } = await producer(batched);
    const all = Array.from({ length: 150 }, () => appEvent());
    const rows = all.map((event) => outbox.row(event));
    await tables.query(
      `INSERT INTO directory.outbox (id, aggregate, subject, payload)
       SELECT id, aggregate, subject, payload FROM json_populate_recordset(NULL::directory.outbox, $1)`,
      [JSON.stringify(rows)],
    );
    for (const row of rows) outbox.relay.publish([row]);
    await eventually(async () => expect(await unconfirmed()).toBe(0));
    expect(new Set(applied)).toEqual(new Set(all.map(({ id }) => id)));
    const jsm = await jetstreamManager(await connectAs('deploy'), { checkAPI: false });
    // Three messages, and as many again if a busy machine let the sweep publish the rows before they had an answer.
    expect((await jsm.streams.info('DIRECTORY')).state.last_seq).toBeLessThan(20);
  });

  it('applies the other events of a message while one cannot be applied, and that one later', async () => {
    await declare();
    const poison = appEvent();
    let cured = false;
    const applied = new Set<string>();
    await consumer(async (events) => {
      if (!cured && events.some((e) => e.id === poison.id)) throw new Error('not now');
      events.forEach((e) => applied.add(e.id));
    });
    const { emit } = await producer(batched);
    const others = Array.from({ length: 50 }, () => appEvent());
    await emit([...others.slice(0, 25), poison, ...others.slice(25)]);
    await eventually(() => expect(applied.size).toBe(50));
    expect(await unconfirmed()).toBeGreaterThan(0);
    cured = true;
    await eventually(() => expect(applied.size).toBe(51));
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('publishes again, after a replica has stopped, what is not confirmed', async () => {
    await declare();
    const first = await producer(batched);
    const all = Array.from({ length: 5 }, () => appEvent());
    await first.emit(all);
    const numbered = async () =>
      (await tables.query('SELECT FROM directory.outbox WHERE stream_seq IS NOT NULL')).length;
    await eventually(async () => expect(await numbered()).toBe(5));
    await first.outbox.relay.stop();
    expect(await numbered()).toBe(0);
    expect(await unconfirmed()).toBe(5);
  });

  it('waits for a consumer with a filter only for the events that it gets', async () => {
    await declare();
    const { emit } = await producer();
    const ended = { ...appEvent(), type: 'assignment.ended' } as DirectoryEvent;
    await emit([appEvent(), ended, appEvent()]);
    const ofAudit = new EventConsumer(streams.directory, 'audit', new Bus(await connectAs('audit')), async () => {});
    ofAudit.start();
    closing.push(() => ofAudit.stop());
    for (const name of others.filter((other) => other !== 'auth')) await applyNothing(name);
    await eventually(async () => expect(await unconfirmed()).toBe(1));
    expect(await tables.query('SELECT id FROM directory.outbox')).toEqual([{ id: ended.id }]);
    const seen: DirectoryEvent[] = [];
    await applyNothing('auth', seen);
    await eventually(async () => expect(await unconfirmed()).toBe(0));
    expect(seen.map(({ id }) => id)).toEqual([ended.id]);
  });

  it('delivers events to another replica when the one that pulled them hangs', async () => {
    await declare();
    const hung = await jetstream(await connectAs('audit')).consumers.get(streams.directory.name, 'audit');
    // Behaves as a process that hangs: it receives the events that it has requested, and never acknowledges them.
    const held: unknown[] = [];
    const pull = await hung.fetch({ max_messages: 30, expires: 30_000 });
    void (async () => {
      for await (const message of pull) held.push(message);
    })().catch(() => undefined);
    const { emit } = await producer();
    const all = Array.from({ length: 30 }, () => appEvent());
    await emit(all);
    await eventually(() => expect(held).toHaveLength(30));
    const applied = new Set<string>();
    await consumer(async (events) => events.forEach((e) => applied.add(e.id)));
    await eventually(() => expect(applied).toEqual(new Set(all.map(({ id }) => id))));
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('loses no event when JetStream loses its files', async () => {
    await declare();
    const applied = new Set<string>();
    let seen = 0;
    await consumer(async (events) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen += events.length;
      events.forEach((e) => applied.add(e.id));
    });
    const [one, two] = [await producer(), await producer()];
    const all = Array.from({ length: 500 }, () => appEvent());
    const emitting = (async () => {
      const emitted: Promise<void>[] = [];
      for (let i = 0; i < all.length; i += 5) {
        emitted.push((i % 2 ? one : two).emit(all.slice(i, i + 5)));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      // A transaction that failed has emitted nothing: without this the test would call its events lost.
      await Promise.all(emitted);
    })();
    await eventually(() => seen > 150);
    await nats.kill();
    await new Promise((resolve) => setTimeout(resolve, 400));
    await nats.restart({ wipe: true });
    await declare();
    await emitting;
    await eventually(() => expect(applied.size).toBe(500));
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('loses no event when the new stream grows beyond the sequence numbers of the lost one', async () => {
    await declare();
    const { emit } = await producer();
    await emit(Array.from({ length: 3 }, () => appEvent()));
    await nats.kill();
    await nats.restart({ wipe: true });
    await declare();
    const late = Array.from({ length: 20 }, () => appEvent());
    await emit(late);
    const applied = new Set<string>();
    await consumer(async (events) => events.forEach((e) => applied.add(e.id)));
    await eventually(() => expect(applied.size).toBe(23));
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('loses no event when JetStream comes back with older files', async () => {
    await declare();
    const { emit } = await producer();
    await emit(Array.from({ length: 5 }, () => appEvent()));
    cpSync(nats.storeDir, `${nats.storeDir}.older`, { recursive: true });
    await emit(Array.from({ length: 5 }, () => appEvent()));
    await nats.kill();
    rmSync(nats.storeDir, { recursive: true });
    renameSync(`${nats.storeDir}.older`, nats.storeDir);
    await nats.restart();
    await emit(Array.from({ length: 10 }, () => appEvent()));
    const applied = new Set<string>();
    await consumer(async (events) => events.forEach((e) => applied.add(e.id)));
    await eventually(() => expect(applied.size).toBe(20));
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('confirms no event that a newly created consumer has not received', async () => {
    await declare();
    let open = false;
    const applied = new Set<string>();
    await consumer(async (events) => {
      if (!open) throw Object.assign(new Error('not now'), { code: '57P01' });
      events.forEach((e) => applied.add(e.id));
    });
    const { emit } = await producer();
    await emit(Array.from({ length: 5 }, () => appEvent()));
    // The consumer's files are lost and the stream's are not: the consumer is created again.
    await nats.kill();
    rmSync(`${nats.storeDir}/jetstream/HOLDFAST/streams/DIRECTORY/obs`, { recursive: true });
    await nats.restart();
    await declare();
    open = true;
    await emit(Array.from({ length: 5 }, () => appEvent()));
    await eventually(() => expect(applied.size).toBe(10));
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('loses no event that a killed consumer had pulled when the server is killed too', async () => {
    await declare();
    const { emit } = await producer();
    const taken = Array.from({ length: 5 }, () => appEvent());
    await emit(taken);
    // Pulls events and never acknowledges them, as a killed process does.
    const dead = await connectAs('audit');
    const messages = await (
      await jetstream(dead).consumers.get('DIRECTORY', 'audit')
    ).fetch({ max_messages: 5, expires: 30_000 });
    let left = 5;
    for await (const _ of messages) if ((left -= 1) === 0) break;
    const applied = new Set<string>();
    await consumer(async (events) => events.forEach((e) => applied.add(e.id)));
    const others = Array.from({ length: 5 }, () => appEvent());
    await emit(others);
    await eventually(() => expect(applied.size).toBeGreaterThanOrEqual(5));
    await nats.kill();
    await nats.restart();
    await eventually(() => expect(applied.size).toBe(10));
    // The events of the killed consumer stay pending for ack_wait, if the server had stored that; 2.10 restarts it.
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('applies other events while one cannot be applied, and that one as soon as it can be', async () => {
    await declare();
    const poison = appEvent();
    let cured = false;
    const applied = new Set<string>();
    await consumer(async (events) => {
      if (!cured && events.some((e) => e.id === poison.id)) throw new Error('not now');
      events.forEach((e) => applied.add(e.id));
    });
    const { emit } = await producer();
    const others = Array.from({ length: 50 }, () => appEvent());
    await emit([...others.slice(0, 25), poison, ...others.slice(25)]);
    await eventually(() => expect(applied.size).toBe(50));
    expect(await unconfirmed()).toBeGreaterThan(0);
    cured = true;
    await eventually(() => expect(applied.size).toBe(51));
    await eventually(async () => expect(await unconfirmed()).toBe(0));
  });

  it('publishes the rows that a killed process left in the outbox', async () => {
    await declare();
    const left = appEvent();
    const payload = JSON.stringify(left);
    await tables.query(
      `INSERT INTO directory.outbox (id, aggregate, subject, payload)
       VALUES ($1, 'x', 'evt.directory.app.updated', $2)`,
      [left.id, payload],
    );
    const applied = new Set<string>();
    await consumer(async (events) => events.forEach((e) => applied.add(e.id)));
    await producer();
    await eventually(() => expect([...applied]).toEqual([left.id]));
  });
});
