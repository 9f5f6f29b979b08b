import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { connectBus } from '@holdfast/messaging';
import { createLogger, type AppError } from '@holdfast/platform';
import { startTestBus, testContext, type TestBus, type TestDatabase } from '@holdfast/testing';
import { auditDatabase, auditKeys, recordOf } from '../audit.fixture.js';
import { exportReplica } from './exports.fixture.js';

Logger.overrideLogger(false);

const keys = auditKeys();
let nats: TestBus;
let connection: Awaited<ReturnType<typeof connectBus>>;
let tables: TestDatabase;
let replicas: Awaited<ReturnType<typeof exportReplica>>[];

beforeAll(async () => {
  nats = await startTestBus();
  const quiet = createLogger('test', 'fatal');
  connection = await connectBus({ url: nats.url, nkeySeed: nats.seed('audit'), user: 'audit' }, quiet);
  tables = await auditDatabase();
  replicas = [await exportReplica(tables, connection, { keys }), await exportReplica(tables, connection, { keys })];
});
afterAll(async () => {
  for (const replica of replicas) await replica.stop();
  await tables.drop();
  await connection.close();
  await nats.stop();
});

const create = (i: number, org: string) =>
  replicas[i % 2]!.create({}, org).then(
    ({ id }) => id,
    ({ code }: AppError) => code,
  );
const statesOf = (org: string) =>
  tables.query<{ id: string; state: string; stored_bytes: string; version: number }>(
    'SELECT id, state, stored_bytes, version FROM audit.export WHERE org = $1',
    [org],
  );
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

it.each(['with', 'without'])('30 exports requested at once of an organization %s entries become two', async (which) => {
  const org = `${which}-entries`;
  if (which === 'with') await replicas[0]!.log.append([{ org, record: recordOf() }]);
  const codes = await Promise.all(range(30).map((i) => create(i, org)));
  expect(codes.filter((code) => code === 'conflict')).toHaveLength(28);
  expect((await statesOf(org)).map(({ state }) => state)).toEqual(['queued', 'queued']);
});

it('an export that is written and canceled at once has no file, no part of one, and ended once', async () => {
  const org = 'acme';
  await replicas[0]!.log.append(range(400).map(() => ({ org, record: recordOf() })));
  await tables.query("DELETE FROM audit.export WHERE org <> 'acme'");
  const requested: string[] = [];
  for (let round = 0; round < 15; round += 1) {
    const ids = await Promise.all([0, 1].map((i) => create(i, org)));
    requested.push(...ids);
    const written = replicas.map((replica) => replica.worker.run(() => false));
    // Twice for each, at two replicas: one of the requests finds that it has ended already.
    const ended = ids.flatMap((id) => replicas.map((replica) => replica.exports.end(id, testContext({ org }))));
    const changes = (await Promise.all(ended)).filter(({ changed }) => changed);
    expect(changes).toHaveLength(2);
    await Promise.all(written);
  }
  const states = await statesOf(org);
  expect(new Set(states.map(({ id }) => id))).toEqual(new Set(requested));
  expect(states).toHaveLength(30);
  for (const { state, stored_bytes } of states) {
    expect(['canceled', 'expired']).toContain(state);
    expect(Number(stored_bytes)).toBe(0);
  }
  expect(await tables.query('SELECT FROM audit.export_chunk')).toEqual([]);
  const events = await tables.query<{ export: string; type: string }>(
    "SELECT payload::json ->> 'export' AS export, payload::json ->> 'type' AS type FROM audit.outbox",
  );
  for (const id of requested)
    expect(events.filter((event) => event.export === id && event.type === 'audit.export.expired')).toHaveLength(1);
});

it('an export that is deleted while it is read is read to no end other than its own', async () => {
  const [{ chunks, exports, runAll, create: request }] = replicas as [(typeof replicas)[0]];
  const { id } = await request({}, 'acme');
  await runAll();
  const { bytes } = await exports.get('acme', id);
  const reads = range(10).map((i) =>
    chunks.read('acme', id, i % bytes).then(
      (part) => part.length,
      ({ code }: AppError) => code,
    ),
  );
  await exports.end(id, testContext({ org: 'acme' }));
  for (const [i, result] of (await Promise.all(reads)).entries())
    expect([bytes - i, 'invalid_state']).toContain(result);
  await expect(chunks.read('acme', id, 0)).rejects.toMatchObject({ code: 'invalid_state' });
});
