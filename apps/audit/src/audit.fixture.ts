import { deepStrictEqual as deepEqual } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { AuditRecord, BusUser } from '@holdfast/contracts';
import { Database, migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger, systemClock, type Clock } from '@holdfast/platform';
import { Shutdown, startService, type RunningService } from '@holdfast/service';
import {
  createTestDatabase,
  newTestFolder,
  startTestBus,
  testConfig,
  testContext,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { CompactRange, leafHash, rootOf } from '@holdfast/tlog';
import { AuditModule } from './app.module.js';
import { Log } from './append/audit-log.js';
import type { AuditConfig } from './config.js';
import { migrations } from './migrations/index.js';
import { Names } from './privacy/pseudonym-mappings.js';
import { Opened } from './query/entry-decryption.js';
import { Partitions } from './retention/partitions.js';

export function auditKeys(): Pick<AuditConfig, 'KEY_ENCRYPTION_KEY' | 'AUDIT_SIGNING_KEYS' | 'CHECKPOINT_DIR'> {
  return {
    KEY_ENCRYPTION_KEY: randomBytes(32),
    AUDIT_SIGNING_KEYS: [randomBytes(32)],
    CHECKPOINT_DIR: newTestFolder('checkpoints'),
  };
}

export function auditConfig(nats: TestBus, tables: TestDatabase, keys = auditKeys()): AuditConfig {
  return { ...testConfig(nats, 'audit'), ...keys, DATABASE_URL: tables.url(), DATABASE_POOL: 4 };
}

const quiet = createLogger('test', 'fatal');

/** A bus with its streams, and the gateway on it: what the tests of a file share. */
export async function startAuditBus() {
  const nats = await startTestBus();
  const connectAs = (user: BusUser) => connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);
  const deploy = await connectAs('deploy');
  await declareStreams(deploy);
  await deploy.close();
  const bus = new Bus(await connectAs('gateway'));
  const stop = async () => {
    await bus.connection.close();
    await nats.stop();
  };
  return { nats, bus, connectAs, stop };
}

export function startAudit(nats: TestBus, tables: TestDatabase, keys = auditKeys()): Promise<RunningService> {
  const config = auditConfig(nats, tables, keys);
  return startService({
    service: 'audit',
    config,
    module: AuditModule,
    logger: quiet,
    database: { url: config.DATABASE_URL, pool: 4 },
  });
}

/** As the owner of the database may, with its guards off. */
export async function tamperWith(tables: TestDatabase, sql: string): Promise<void> {
  await tables.query(`DO $do$ BEGIN SET LOCAL session_replication_role = replica; ${sql}; END $do$`);
}

export function auditDatabase(): Promise<TestDatabase> {
  return createTestDatabase('audit', (url) => migrate('audit', url, migrations));
}

export function openedBy(database: Database, keys = auditKeys()): Opened {
  return new Opened(database, new Names(database), keys);
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

/** What appends, without a bus: as many as a test wants replicas. */
export async function replicaOf(
  tables: TestDatabase,
  keys = auditKeys(),
  clock: Clock = systemClock,
): Promise<{ database: Database; log: Log; stop: () => Promise<void> }> {
  const database = await Database.connect({ url: tables.url(), pool: 4, applicationName: 'replica' });
  const log = new Log(database, new Partitions(database, clock, new Shutdown()), clock, keys);
  return { database, log, stop: () => database.close() };
}

/** Throws unless the places of each log are 1, 2, 3 … and its tree is that of its leaves. */
export async function assertWhole(tables: TestDatabase): Promise<number> {
  const heads = await tables.query<{ org: string; seq: number; range: Buffer }>(
    'SELECT org, seq::int AS seq, range FROM audit.head',
  );
  let entries = 0;
  for (const { org, seq, range } of heads) {
    const places = await tables.query<{ seq: number; leaf_hash: Buffer; leaf: Buffer }>(
      'SELECT p.seq::int AS seq, p.leaf_hash, e.leaf FROM audit.place p JOIN audit.entry e USING (org, seq, class, month) WHERE org = $1 ORDER BY seq',
      [org],
    );
    const hashes = places.map((p) => leafHash(p.leaf));
    deepEqual(
      places.map((p) => p.seq),
      Array.from({ length: seq }, (_, i) => i + 1),
    );
    deepEqual(
      places.map((p) => p.leaf_hash),
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
