import { deepStrictEqual as deepEqual } from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import type { AuditRecord, BusUser, CustomerEvent, DirectoryEvent, RequestContext } from '@holdfast/contracts';
import { Database, migrate, ReadDatabase } from '@holdfast/data';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger, systemClock, type Clock } from '@holdfast/platform';
import { register, startService, type RunningService } from '@holdfast/service';
import {
  createTestDatabase,
  eventBase,
  eventually,
  newTestFolder,
  patient,
  startTestBus,
  testConfig,
  testContext,
  withoutTraces,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { CompactRange, leafHash, rootOf } from '@holdfast/tlog';
import { AuditModule } from './app.module.js';
import { AuditLog } from './append/audit-log.js';
import { GrownLogs } from './append/changed-logs.js';
import { GrowthAnnouncements } from './append/growth-announcements.js';
import type { AppendItem } from './append/plan.js';
import type { AuditConfig } from './config.js';
import { connectionsOf } from './connections.js';
import { migrations } from './migrations/index.js';
import { PseudonymMappings } from './privacy/pseudonyms.js';
import { EntryDecryption, storedEntryColumns, type StoredEntry } from './query/entry-decryption.js';
import { Partitions } from './retention/partitions.js';

export function auditKeys(): Pick<AuditConfig, 'KEY_ENCRYPTION_KEY' | 'AUDIT_SIGNING_KEYS' | 'CHECKPOINT_DIR'> {
  return {
    KEY_ENCRYPTION_KEY: randomBytes(32),
    AUDIT_SIGNING_KEYS: [randomBytes(32)],
    CHECKPOINT_DIR: newTestFolder('checkpoints'),
  };
}

export const exportLimits = { AUDIT_EXPORT_DAYS: 7, AUDIT_EXPORTS_MAX_BYTES: 4_294_967_296 };

function auditConfig(nats: TestBus, tables: TestDatabase, keys = auditKeys()): AuditConfig {
  const outside = { AUDIT_WITNESSES: [], OUTBOUND_ALLOW: [], OUTBOUND_ALLOW_LOOPBACK: false, OUTBOUND_PORTS: [443] };
  const database = { DATABASE_URL: tables.url(), DATABASE_POOL: 4 };
  return { ...testConfig(nats, 'audit'), ...withoutTraces, ...outside, ...keys, ...database, ...exportLimits };
}

const quiet = createLogger('test', 'fatal');

/** A bus with its streams and a connection of the gateway. */
export async function startAuditBus() {
  const nats = await startTestBus();
  const connectAs = (user: BusUser) => connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);
  const deploy = await connectAs('deploy');
  await declareStreams(deploy);
  await deploy.close();
  const bus = patient(new Bus(await connectAs('gateway')));
  const stop = async () => {
    await bus.connection.close();
    await nats.stop();
  };
  return { nats, bus, connectAs, stop };
}

export function startAudit(
  nats: TestBus,
  tables: TestDatabase,
  keys = auditKeys(),
  clock: Clock = systemClock,
): Promise<RunningService> {
  const config = auditConfig(nats, tables, keys);
  return startService({
    service: 'audit',
    config,
    module: AuditModule,
    clock,
    logger: quiet,
    database: { url: config.DATABASE_URL, pool: 4, reserved: connectionsOf(4).reserved },
  });
}

/** Runs SQL as the owner of the database, without triggers. */
export async function tamperWith(tables: TestDatabase, sql: string): Promise<void> {
  await tables.query(`DO $do$ BEGIN SET LOCAL session_replication_role = replica; ${sql}; END $do$`);
}

export function auditDatabase(): Promise<TestDatabase> {
  return createTestDatabase('audit', (url) => migrate('audit', url, migrations), { isCopied: true });
}

export function decryptionBy(database: Database | ReadDatabase, keys = auditKeys()): EntryDecryption {
  const reads = database instanceof ReadDatabase ? database : new ReadDatabase(database);
  return new EntryDecryption(reads, new PseudonymMappings(reads), keys);
}

/** All entries of all logs, as they are stored. */
export function storedEntries(database: Database): Promise<StoredEntry[]> {
  return database.rows({ name: '', text: `SELECT ${storedEntryColumns} FROM entry e ORDER BY seq` });
}

/** Calls a handler without a bus, as the gateway. */
export function invoke<Input, Reply>(
  handler: { handle: (input: Input, context: RequestContext) => Promise<Reply> },
  input: Input,
  context = testContext(),
): Promise<Reply> {
  const message = { input, context, caller: 'gateway' };
  return handler.handle(message as never, undefined as never);
}

/**
 * Resolves when a run of this periodic job that began after the call has finished, with one replica in this process.
 * The first run that finishes may have begun before.
 */
export async function nextRunOf(job: string): Promise<void> {
  const runs = async () => {
    const { values } = (await register.getSingleMetric('holdfast_job_runs_total')?.get()) ?? { values: [] };
    return values.filter(({ labels }) => labels.job === job).reduce((sum, { value }) => sum + value, 0);
  };
  const before = await runs();
  await eventually(async () => (await runs()) >= before + 2);
}

export function recordOf(given: Partial<AuditRecord> = {}): AuditRecord {
  const { auditId: id, actor, request } = testContext();
  return {
    id,
    occurredAt: new Date().toISOString(),
    action: 'subject.read',
    actor,
    targets: [],
    outcome: { result: 'success' },
    request,
    ...given,
  };
}

export function eventOf(given: Partial<CustomerEvent>): CustomerEvent {
  return { ...eventBase(), type: 'offer.created', subject: randomUUID(), ...given };
}

export function directoryEventOf(given: Partial<DirectoryEvent>): DirectoryEvent {
  return { ...eventBase(), type: 'app.created', app: 'app-1', ...given };
}

export function customerTarget(id: string = randomUUID()) {
  return { type: 'customer', id, dataSubject: id } as const;
}

/** The item of an event that reports an erasure in organization `acme`. */
export function erasureOf(id: string): AppendItem {
  return { org: 'acme', record: recordOf({ action: 'subject.erase', targets: [customerTarget(id)] }), erases: id };
}

/** A replica that appends without a bus. */
export async function replicaOf(
  tables: TestDatabase,
  keys = auditKeys(),
  clock: Clock = systemClock,
): Promise<{ database: Database; log: AuditLog; stop: () => Promise<void> }> {
  const database = await Database.connect({ url: tables.url(), pool: 4, applicationName: 'replica' });
  const growth = new GrowthAnnouncements({ connection: { publish: () => undefined } } as unknown as Bus);
  const log = new AuditLog(database, new Partitions(database, clock), new GrownLogs(), growth, clock, keys);
  return { database, log, stop: () => database.close() };
}

/** Throws unless `seq` of each log is 1, 2, 3 … and its tree is that of its leaves. Returns the number of entries. */
export async function assertWhole(tables: TestDatabase): Promise<number> {
  const heads = await tables.query<{ org: string; seq: number; range: Buffer }>(
    'SELECT org, seq::int AS seq, range FROM audit.head',
  );
  let entries = 0;
  for (const { org, seq, range } of heads) {
    const leaves = await tables.query<{ seq: number; leaf_hash: Buffer; leaf: Buffer }>(
      `SELECT l.seq::int AS seq, l.leaf_hash, e.leaf FROM audit.leaf l JOIN audit.entry e USING (org, seq, class, month)
        WHERE org = $1 ORDER BY seq`,
      [org],
    );
    const hashes = leaves.map((l) => leafHash(l.leaf));
    deepEqual(
      leaves.map((l) => l.seq),
      Array.from({ length: seq }, (_, i) => i + 1),
    );
    deepEqual(
      leaves.map((l) => l.leaf_hash),
      hashes,
    );
    deepEqual(CompactRange.from(seq, range).root(), rootOf(hashes));
    const subtrees = await tables.query<{ index: number; hash: Buffer }>(
      'SELECT index::int AS index, hash FROM audit.subtree WHERE org = $1 AND level = 1 ORDER BY index',
      [org],
    );
    deepEqual(
      subtrees.map((s) => s.hash),
      Array.from({ length: Math.floor(seq / 256) }, (_, i) => rootOf(hashes.slice(i * 256, (i + 1) * 256))),
    );
    entries += seq;
  }
  return entries;
}
