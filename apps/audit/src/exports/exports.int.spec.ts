import { createHash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AuditEvent } from '@holdfast/contracts';
import { statement } from '@holdfast/data';
import { connectBus } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { eventually, startTestBus, testContext, type TestBus, type TestDatabase } from '@holdfast/testing';
import { auditDatabase, auditKeys, customerTarget, erasureOf, exportLimits, recordOf } from '../audit.fixture.js';
import { generateLog } from '../query/generated-log.fixture.js';
import { exportReplica, unsignedNote } from './exports.fixture.js';

/** A warning is logged for each export that fails; of a large one it says why. */
Logger.overrideLogger(process.env.AUDIT_ROWS ? ['warn', 'error'] : false);

const keys = auditKeys();
let nats: TestBus;
let connection: Awaited<ReturnType<typeof connectBus>>;
let tables: TestDatabase;
let replica: Awaited<ReturnType<typeof exportReplica>>;
const started: (typeof replica)[] = [];

const start = async (options: Parameters<typeof exportReplica>[2] = {}) => {
  const one = await exportReplica(tables, connection, { keys, ...options });
  started.push(one);
  return one;
};
const customer = randomUUID();
const append = (count: number, of = customer) =>
  replica.log.append(
    Array.from({ length: count }, () => ({ org: 'acme', record: recordOf({ targets: [customerTarget(of)] }) })),
  );
const get = (id: string) => replica.exports.get('acme', id);
const linesOf = (text: string) => text.split('\n').slice(0, -1);
const chunkCount = async () => (await tables.query('SELECT FROM audit.export_chunk')).length;
const expireLeases = () => tables.query("UPDATE audit.export SET leased_until = 'epoch'");
const eventsIn = async () =>
  (
    await tables.query<{ event: { type: string; version: number; data: object } }>(
      'SELECT payload::json AS event FROM audit.outbox ORDER BY created_at, id',
    )
  ).map(({ event: { type, version, data } }) => ({ type, version, data }));

beforeAll(async () => {
  nats = await startTestBus();
  connection = await connectBus(
    { url: nats.url, nkeySeed: nats.seed('audit'), user: 'audit' },
    createLogger('test', 'fatal'),
  );
});
afterAll(async () => {
  await connection.close();
  await nats.stop();
});
beforeEach(async () => {
  tables = await auditDatabase();
  replica = await start();
});
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
  await tables.drop();
});

describe('an export whose requester', () => {
  it.each([
    ['has lost the right before it began', 1, 0],
    ['loses the right while it is written', 3, 1],
  ])('%s fails, and its file is gone', async (_, refusedFrom, chunksBefore) => {
    let asked = 0;
    await append(450);
    const one = await start({ mayExport: () => Promise.resolve((asked += 1) < refusedFrom) });
    const { id } = await one.create({}, 'acme', { type: 'app', id: 'app_1' });
    await one.runAll();
    expect(asked).toBeGreaterThan(chunksBefore);
    expect(await get(id)).toMatchObject({
      state: 'failed',
      reason: 'maker',
      requestedBy: { type: 'app', id: 'app_1' },
    });
    expect(await chunkCount()).toBe(0);
    expect((await eventsIn()).map(({ type }) => type)).toEqual(['audit.export.created', 'audit.export.failed']);
  });

  it('may or may not export, which nobody knows, waits without counting a failure', async () => {
    let isKnown = false;
    await append(3);
    const one = await start({
      mayExport: () => (isKnown ? Promise.resolve(true) : Promise.reject(new Error('directory is down'))),
    });
    const { id } = await one.create();
    for (let run = 0; run < 12; run += 1) {
      await expireLeases();
      await one.worker.run(() => false);
    }
    expect(await get(id)).toMatchObject({ state: 'running', entries: 0 });
    isKnown = true;
    await one.runAll();
    expect(await get(id)).toMatchObject({ state: 'ready', entries: 3 });
  });
});

describe('the file of an export', () => {
  it('has the entries of the log up to the checkpoint, and an end', async () => {
    await append(450);
    const { id } = await replica.create();
    const { size } = await claimAndBegin();
    await append(10);
    await expireLeases();
    await replica.runAll();
    const found = await get(id);
    expect(found).toMatchObject({ state: 'ready', entries: 450, progress: { seq: size, size: 450 } });
    const text = await replica.file({ id });
    const lines = linesOf(text).map((line) => JSON.parse(line) as AuditEvent);
    expect(lines.slice(0, -1).map(({ seq }) => seq)).toEqual(Array.from({ length: 450 }, (_, i) => i + 1));
    expect(lines[0]!.targets[0]).toMatchObject({ type: 'customer', id: customer });
    expect(lines.at(-1)).toEqual({ type: 'end', count: 450, size: 450, checkpoint: found.checkpoint });
    expect(createHash('sha256').update(text).digest('hex')).toBe(found.sha256);
    expect(Buffer.byteLength(text)).toBe(found.bytes);
  });

  it('has the exact leaves of the whole log with proof', async () => {
    await append(250);
    const { id } = await replica.create({ proof: true });
    await replica.runAll();
    const lines = linesOf(await replica.file({ id })).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines[0]).toEqual({ type: 'holdfast-audit-log', version: 1, origin: 'id.example/o/acme/audit' });
    expect(lines).toHaveLength(252);
    expect(lines[1]).toMatchObject({ seq: 1, leaf: expect.any(String), leafHash: expect.any(String) });
    expect(lines.at(-1)).toMatchObject({ type: 'end', count: 250, lastSeq: 250, lateMs: expect.any(Number) });
  });

  it('begins again with proof when entries were dropped meanwhile, whose record comes later', async () => {
    await append(10);
    const { id } = await replica.create({ proof: true });
    await claimAndBegin();
    await replica.log.append([{ org: 'acme', record: recordOf({ action: 'audit.drop' }) }]);
    await expireLeases();
    await replica.runAll();
    expect(await get(id)).toMatchObject({ state: 'ready', entries: 11 });
  });

  it.each(['csv', 'ocsf'] as const)('has only what matches a filter, as %s', async (format) => {
    await append(3);
    await append(2, randomUUID());
    const { id } = await replica.create({ format, filter: { target: customer } });
    await replica.runAll();
    const lines = linesOf(await replica.file({ id }));
    expect(lines).toHaveLength(format === 'csv' ? 4 : 3);
    expect(lines.at(-1)).toContain(customer);
    expect(await get(id)).toMatchObject({ state: 'ready', entries: 3 });
  });

  it('is empty when nothing matches', async () => {
    await append(3);
    const { id } = await replica.create({ format: 'ocsf', filter: { actor: 'nobody' } });
    await replica.runAll();
    expect(await get(id)).toMatchObject({ state: 'ready', entries: 0, bytes: 0 });
  });

  it('has every entry of a large log, in chunks that can be read from any byte', async () => {
    const { count } = await generateLog(tables, Number(process.env.AUDIT_ROWS ?? 20_000));
    const { id } = await replica.create();
    const samples: number[] = [];
    const timer = setInterval(() => samples.push(process.memoryUsage().rss), 250);
    const begunAt = performance.now();
    await replica.runAll();
    clearInterval(timer);
    const { bytes, entries } = await get(id);
    expect(entries).toBe(count);
    if (process.env.AUDIT_ROWS) {
      const [seconds, ...megabytes] = [
        (performance.now() - begunAt) / 1000,
        ...[bytes, samples[4]!, Math.max(...samples)].map((value) => value / 1e6),
      ].map(Math.round);
      const [size, early, most] = megabytes;
      process.stdout.write(
        `${count} entries, ${size} MB in ${seconds} s; RSS ${early} MB after 1 s, ${most} MB at most\n`,
      );
    }
    const part = await replica.chunks.read('acme', id, Math.floor(bytes / 2));
    expect((await replica.chunks.read('acme', id, Math.floor(bytes / 2) + 7)).equals(part.subarray(7))).toBe(true);
    const [{ largest }] = (await tables.query<{ largest: number }>(
      'SELECT max(length)::int AS largest FROM audit.export_chunk',
    )) as [{ largest: number }];
    expect(largest).toBe(262_144);
  }, 3_600_000);

  it('cannot be read in the database, and not by another organization', async () => {
    await append(3);
    const { id } = await replica.create();
    await replica.runAll();
    const [{ dump }] = (await tables.query<{ dump: string }>(
      "SELECT string_agg(encode(data, 'escape'), '') AS dump FROM audit.export_chunk",
    )) as [{ dump: string }];
    expect(dump).not.toContain('subject.read');
    await expect(replica.exports.get('other', id)).rejects.toMatchObject({ code: 'unknown_export' });
    await expect(replica.exports.open('other', id, 0)).rejects.toMatchObject({ code: 'unknown_export' });
    await expect(replica.chunks.read('other', id, 0)).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(replica.exports.end(id, testContext({ org: 'other' }))).rejects.toMatchObject({
      code: 'unknown_export',
    });
  });
});

describe('several replicas', () => {
  it('continue what a killed one has left, and the file is the same as without a kill', async () => {
    await append(700);
    const whole = await replica.create({ proof: true });
    await replica.runAll();
    const { id } = await replica.create({ proof: true });
    // Killed after each committed chunk: nothing is released.
    for (let place = 0; place < 600;) {
      const job = (await replica.writer.claim())!;
      const { checkpoint } = await get(whole.id);
      const begun = job.size === null ? await replica.writer.begin(job, 700, checkpoint!) : job;
      const values = { ...begun, size: begun.size!, checkpoint: begun.checkpoint! };
      const page = await replica.pages.next(values);
      const header = begun.bytes === 0 ? replica.pages.header(values) : '';
      await replica.writer.append(begun, header + page.text, page);
      place = page.place;
      await expireLeases();
    }
    const other = await start();
    await other.runAll();
    expect(await other.file({ id })).toBe(await other.file(whole));
    expect((await get(id)).sha256).toBe((await get(whole.id)).sha256);
  });

  it('write nothing with an outdated claim: that of one that was paused beyond its lease', async () => {
    await append(300);
    const { id } = await replica.create();
    const paused = await claimAndBegin();
    const page = await replica.pages.next(paused);
    await expireLeases();
    const other = await start();
    await other.runAll();
    const before = await get(id);
    await expect(replica.writer.append(paused, page.text, page)).rejects.toThrow();
    await expect(replica.writer.finish(paused)).rejects.toThrow();
    await replica.writer.fail(paused, 'internal');
    await replica.writer.restart(paused);
    expect(await get(id)).toEqual(before);
    expect(linesOf(await replica.file({ id }))).toHaveLength(301);
  });

  it('claim each export once at a time', async () => {
    await append(10);
    const exports = [await replica.create(), await replica.create({ format: 'csv' })];
    const other = await start();
    const claimed = await Promise.all([replica, other, replica, other].map(({ writer }) => writer.claim()));
    expect(claimed.flatMap((job) => job?.id ?? []).toSorted()).toEqual(exports.map(({ id }) => id).toSorted());
  });
});

describe('an export', () => {
  it('that is canceled while it is written has no file, and its worker stops', async () => {
    await append(300);
    const { id } = await replica.create();
    const job = await claimAndBegin();
    const page = await replica.pages.next(job);
    await replica.writer.append(job, page.text, page);
    expect(await chunkCount()).toBeGreaterThan(0);
    expect(await replica.exports.end(id, testContext())).toEqual({ changed: true });
    await expect(replica.writer.append(job, page.text, page)).rejects.toThrow();
    expect(await get(id)).toMatchObject({ state: 'canceled' });
    expect(await chunkCount()).toBe(0);
    await replica.runAll();
    expect(await get(id)).toMatchObject({ state: 'canceled' });
    expect(await replica.exports.end(id, testContext())).toEqual({ changed: false });
  });

  it('loses its file when it is deleted, and when it expires; each has one event', async () => {
    await append(3);
    const [first, second] = [await replica.create(), await replica.create()];
    await replica.runAll();
    expect(await replica.exports.open('acme', first.id, 0)).toMatchObject({ downloads: 1 });
    // The download goes on after its connection broke.
    expect(await replica.exports.open('acme', first.id, 100)).toMatchObject({ downloads: 1 });
    await replica.exports.end(first.id, testContext());
    const later = await start({ clock: { now: () => new Date(Date.now() + 8 * 86_400_000), trust: () => 'agreed' } });
    await later.expiry.expire();
    await later.expiry.expire();
    expect(await get(first.id)).toMatchObject({ state: 'expired', reason: 'deleted' });
    expect(await get(second.id)).toMatchObject({ state: 'expired', reason: 'age' });
    await expect(replica.exports.open('acme', second.id, 0)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await chunkCount()).toBe(0);
    const ended = (await eventsIn()).filter(({ type }) => type === 'audit.export.expired');
    expect(ended).toEqual([
      { type: 'audit.export.expired', version: 3, data: { export: first.id, cause: 'deleted' } },
      { type: 'audit.export.expired', version: 3, data: { export: second.id, cause: 'age' } },
    ]);
  });

  it('is refused while two are not finished, or twenty have a file', async () => {
    await append(1);
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => replica.create()));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } });
    await replica.create({}, 'other');
    for (let files = 2; files < 20; files += 1) {
      await replica.runAll();
      await replica.create();
    }
    await replica.runAll();
    await expect(replica.create()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('fails when the files of its organization get too large, and when its log is broken', async () => {
    await append(300);
    const small = await start({ limits: { ...exportLimits, AUDIT_EXPORTS_MAX_BYTES: 1000 } });
    const { id } = await replica.create();
    await small.runAll();
    expect(await get(id)).toMatchObject({ state: 'failed', reason: 'too_large' });
    expect(await chunkCount()).toBe(0);
    const broken = await start({ isBroken: () => true });
    const other = await replica.create();
    await broken.runAll();
    expect(await get(other.id)).toMatchObject({ state: 'failed', reason: 'broken_log' });
    expect((await eventsIn()).map(({ type }) => type)).toContain('audit.export.failed');
  });

  it('continues where it was when a statement has failed, and has every entry once', async () => {
    await append(900);
    const { id } = await replica.create({ proof: true });
    const next = replica.pages.next.bind(replica.pages);
    const places: number[] = [];
    replica.pages.next = (job) => {
      places.push(job.place);
      return places.length === 4 ? Promise.reject(new Error('the statement took too long')) : next(job);
    };
    await replica.runAll();
    expect(await get(id)).toMatchObject({ state: 'ready', entries: 900 });
    // The file had a part already when the fourth page failed.
    expect(places[4]).toBeGreaterThan(0);
    const seqs = linesOf(await replica.file({ id })).map((line) => (JSON.parse(line) as { seq?: number }).seq);
    expect(seqs.slice(1, -1)).toEqual(Array.from({ length: 900 }, (_, i) => i + 1));
  });

  it('is given up after ten failures in a row', async () => {
    await append(3);
    const { id } = await replica.create();
    replica.pages.next = () => Promise.reject(new Error('cannot be read'));
    for (let run = 0; run < 10; run += 1) {
      await replica.runAll();
      await expireLeases();
    }
    expect(await get(id)).toMatchObject({ state: 'failed', reason: 'internal' });
  });
});

describe('an erasure', () => {
  it('deletes the files that were made before, and its record names them', async () => {
    await append(3);
    const made = await replica.create();
    await replica.runAll();
    await replica.exports.open('acme', made.id, 0);
    const elsewhere = await replica.create({}, 'other').then(async (created) => {
      await replica.log.append([{ org: 'other', record: recordOf() }]);
      await replica.runAll();
      return created;
    });
    await replica.log.append([erasureOf(customer)]);
    expect(await get(made.id)).toMatchObject({ state: 'expired', reason: 'erasure' });
    await expect(replica.chunks.read('acme', made.id, 0)).rejects.toMatchObject({ code: 'invalid_state' });
    expect(await replica.exports.get('other', elsewhere.id)).toMatchObject({ state: 'ready' });

    const after = await replica.create();
    await replica.runAll();
    const text = await replica.file(after);
    expect(text).not.toContain(customer);
    const { actor } = testContext();
    expect(linesOf(text).map((line) => JSON.parse(line) as AuditEvent)).toContainEqual(
      expect.objectContaining({
        action: 'subject.erase',
        changes: {
          exports: {
            to: {
              count: 1,
              newest: [
                {
                  id: made.id,
                  createdAt: made.createdAt,
                  requestedBy: { type: actor.type, id: actor.id },
                  downloads: 1,
                },
              ],
            },
          },
        },
      }),
    );
    // The confirmation of the erasure, and any repeat of it, concern no later export.
    await replica.log.append([{ org: 'acme', erases: customer }]);
    expect(await get(after.id)).toMatchObject({ state: 'ready' });
    await replica.expiry.announce();
    expect((await eventsIn()).filter(({ type }) => type === 'audit.export.expired')).toEqual([
      { type: 'audit.export.expired', version: 3, data: { export: made.id, cause: 'erasure' } },
    ]);
  });

  it('lets an export that is being written begin again, and what was read before it is not written', async () => {
    await append(300);
    const { id } = await replica.create();
    const job = await claimAndBegin();
    const page = await replica.pages.next(job);
    const { job: written } = await replica.writer.append(job, page.text, page);
    const next = await replica.pages.next({ ...job, ...written, size: job.size, checkpoint: job.checkpoint });
    expect(next.text).toContain(customer);
    await replica.log.append([erasureOf(customer)]);
    expect(await chunkCount()).toBe(0);
    await expect(replica.writer.append(written, next.text, next)).rejects.toThrow();
    await replica.runAll();
    expect(await get(id)).toMatchObject({ state: 'ready', entries: 301 });
    expect(await replica.file({ id })).not.toContain(customer);
  });

  it('that is in progress when an export is claimed is in its file', async () => {
    await append(3);
    const { id } = await replica.create({ proof: true });
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const appending = replica.database.transaction(async (sql) => {
      await sql.rows(statement('test_patience', 'SET LOCAL idle_in_transaction_session_timeout = 0'));
      await sql.rows(statement('test_append', "SELECT FROM head WHERE org = 'acme' FOR UPDATE"));
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const writing = replica.worker.run(() => false);
    const isWaiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM head%'";
    await eventually(async () => expect(await tables.query(isWaiting)).toHaveLength(1));
    expect(await tables.query('SELECT size FROM audit.export')).toEqual([{ size: null }]);
    held.resolve();
    await Promise.all([appending, writing]);
    await replica.runAll();
    expect(await get(id)).toMatchObject({ state: 'ready', entries: 3 });
  });

  it('racing with a worker never leaves a chunk of before', async () => {
    await append(600);
    for (let round = 0; round < 5; round += 1) {
      const victim = randomUUID();
      await append(20, victim);
      const { id } = await replica.create();
      await Promise.all([replica.runAll(), replica.log.append([erasureOf(victim)])]);
      await replica.runAll();
      const found = await get(id);
      if (found.state === 'ready') expect(await replica.file({ id })).not.toContain(victim);
      else expect(found).toMatchObject({ state: 'expired', reason: 'erasure' });
      await replica.exports.end(id, testContext());
      expect(await chunkCount()).toBe(0);
    }
  });

  it('of the person who requested an export removes their id from it', async () => {
    const person = randomUUID();
    await append(1);
    const context = testContext({ actor: { type: 'person', id: person } });
    const { export: made } = await replica.exports.create({ format: 'csv', proof: false }, context);
    await replica.runAll();
    await replica.log.append([{ org: 'acme', erases: person }]);
    await eventually(async () => expect((await get(made.id)).requestedBy).toEqual({ type: 'person' }));
  });
});

async function claimAndBegin() {
  const job = (await replica.writer.claim())!;
  const [{ size }] = (await tables.query<{ size: number }>(
    "SELECT seq::int AS size FROM audit.head WHERE org = 'acme'",
  )) as [{ size: number }];
  const note = unsignedNote('acme', size);
  const begun = await replica.writer.begin(job, size, note);
  return { ...begun, size, checkpoint: note };
}
