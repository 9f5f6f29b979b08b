// Lists of the log from a streaming standby show every entry whose append was acknowledged.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LazyDatabase, migrate, ReadDatabase } from '@holdfast/data';
import {
  createTestDatabase,
  eventually,
  startReplicatedServer,
  type ReplicatedServer,
  type TestDatabase,
} from '@holdfast/testing';
import { auditKeys, customerTarget, decryptionBy, erasureOf, invoke, recordOf, replicaOf } from '../audit.fixture.js';
import { migrations } from '../migrations/index.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { GetEventHandler } from './get-event.handler.js';
import { ListEventsHandler } from './list-events.handler.js';

const keys = auditKeys();
let server: ReplicatedServer;
let tables: TestDatabase;
let replica: Awaited<ReturnType<typeof replicaOf>>;
let reads: ReadDatabase;

const list = (filter = {}) =>
  invoke(new ListEventsHandler(reads, new PseudonymMappings(reads), decryptionBy(reads, keys)), { filter, limit: 20 });
const get = (id: string) => invoke(new GetEventHandler(reads, decryptionBy(reads, keys)), { id });
const untilOnReplica = () => eventually(() => reads.remarks().length === 0);

/** @returns the ids of acknowledged entries that a list or a get right afterwards does not show */
async function missing(times: number): Promise<string[]> {
  const absent: string[] = [];
  for (let i = 0; i < times; i += 1) {
    const record = recordOf();
    await replica.log.append([{ org: 'acme', record }]);
    const [{ items }, found] = await Promise.all([list(), get(record.id).catch(() => undefined)]);
    if (items[0]?.id !== record.id || found?.id !== record.id) absent.push(record.id);
  }
  return absent;
}

beforeAll(async () => {
  server = await startReplicatedServer();
  tables = await createTestDatabase('audit', (url) => migrate('audit', url, migrations), { server: server.primaryUrl });
  replica = await replicaOf(tables, keys);
  reads = new ReadDatabase(
    replica.database,
    new LazyDatabase({ url: server.standbyUrlOf(tables.url()), pool: 4, applicationName: 'test' }),
  );
});
afterAll(async () => {
  await reads.close();
  await replica.stop();
  await tables.drop();
  await server.stop();
});

it('shows each entry at once after its append', async () => {
  await untilOnReplica();
  expect(await missing(50)).toEqual([]);
});

it('names an erased customer no more at once after the erasure', async () => {
  await untilOnReplica();
  const target = customerTarget();
  await replica.log.append([{ org: 'acme', record: recordOf({ action: 'offer.create', targets: [target] }) }]);
  expect((await list({ target: target.id })).items).toHaveLength(1);
  await replica.log.append([erasureOf(target.id)]);
  expect(JSON.stringify(await list())).not.toContain(target.id);
});

it('shows each entry at once while the standby applies nothing, and while it is stopped', async () => {
  await untilOnReplica();
  await server.pauseReplay();
  expect(await missing(10)).toEqual([]);
  await server.resumeReplay();
  await untilOnReplica();
  await server.stopStandby();
  expect(await missing(10)).toEqual([]);
  await server.startStandby();
  await untilOnReplica();
  expect(await missing(10)).toEqual([]);
});
