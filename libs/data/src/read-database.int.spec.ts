import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  eventually,
  startReplicatedServer,
  type ReplicatedServer,
  type TestDatabase,
} from '@holdfast/testing';
import { Database, statement } from './database.js';
import { LazyDatabase } from './lazy-database.js';
import { ReadDatabase } from './read-database.js';

let server: ReplicatedServer;
let tables: TestDatabase;
let primary: Database;
let reads: ReadDatabase;
const written: number[] = [];

const insert = statement('insert', 'INSERT INTO item (id) VALUES ($1)');
const read = statement('read', 'SELECT max(id) AS id, pg_is_in_recovery() AS "onReplica" FROM item');

const options = (url: string) => ({ url, pool: 4, applicationName: 'test' });
/** A replica that hangs is noticed soon. */
const replicaOptions = (url: string) => ({ ...options(url), queryTimeoutMs: 1000 });
const newest = async () => (await reads.rows<{ id: number; onReplica: boolean }>(read))[0]!;
const write = async (): Promise<number> => {
  const id = written.length + 1;
  await primary.rows(insert, [id]);
  written.push(id);
  return id;
};
/** Each read follows the acknowledgement of a write. @returns where they were served */
const readsAfterWrites = async (times: number): Promise<Set<boolean>> => {
  const served = new Set<boolean>();
  for (let i = 0; i < times; i += 1) {
    const id = await write();
    const found = await Promise.all([newest(), newest()]);
    for (const one of found) expect(one.id).toBeGreaterThanOrEqual(id);
    found.forEach(({ onReplica }) => served.add(onReplica));
  }
  return served;
};
const untilOnReplica = () => eventually(async () => expect((await newest()).onReplica).toBe(true));

beforeAll(async () => {
  server = await startReplicatedServer();
  tables = await createTestDatabase('audit', () => Promise.resolve(), { server: server.primaryUrl });
  await tables.query('CREATE TABLE audit.item (id int PRIMARY KEY)');
  primary = await Database.connect(options(tables.url('audit')));
});
beforeEach(() => {
  reads = new ReadDatabase(primary, new LazyDatabase(replicaOptions(server.standbyUrlOf(tables.url('audit')))));
});
afterEach(() => reads.close());
afterAll(async () => {
  await primary.close();
  await tables.drop();
  await server.stop();
});

it('reads from the replica, and finds everything that was acknowledged before', async () => {
  await untilOnReplica();
  expect(reads.remarks()).toEqual([]);
  await readsAfterWrites(300);
  await untilOnReplica();
});

it('reads from the primary while the replica does not apply changes, and from the replica afterwards', async () => {
  await untilOnReplica();
  await server.pauseReplay();
  expect(await readsAfterWrites(20)).toEqual(new Set([false]));
  expect(reads.remarks()).toHaveLength(1);
  await server.resumeReplay();
  await untilOnReplica();
  expect(reads.remarks()).toEqual([]);
});

it('reads from the primary while the replica hangs, and from the replica afterwards', async () => {
  await untilOnReplica();
  server.hang();
  expect(await readsAfterWrites(20)).toEqual(new Set([false]));
  server.wake();
  await untilOnReplica();
});

it('reads from the primary while the replica is stopped, and from the replica afterwards', async () => {
  await untilOnReplica();
  await server.stopStandby();
  expect(await readsAfterWrites(20)).toEqual(new Set([false]));
  await server.startStandby();
  await untilOnReplica();
});

it('reads from the primary when the address is that of no replica', async () => {
  await reads.close();
  reads = new ReadDatabase(primary, new LazyDatabase(replicaOptions(tables.url('audit'))));
  expect(await readsAfterWrites(20)).toEqual(new Set([false]));
  expect(reads.remarks()).toHaveLength(1);
});

it('rejects a read when the primary does not respond, since nobody knows then what was acknowledged', async () => {
  await untilOnReplica();
  await tables.refuseConnections(true);
  await expect(newest()).rejects.toThrow();
  await tables.refuseConnections(false);
  await eventually(() => newest());
});

it('reads from the primary when the replica was promoted and has changes of its own', async () => {
  await untilOnReplica();
  await server.promote();
  expect(await readsAfterWrites(5)).toEqual(new Set([false]));
});
