import type { MakerRights } from '@holdfast/access';
import { streams, type Actor, type AuditExport, type NewAuditExport } from '@holdfast/contracts';
import { Database, ReadDatabase } from '@holdfast/data';
import type { Bus } from '@holdfast/messaging';
import { Outbox, type OutboxRow } from '@holdfast/outbox';
import { systemClock, type Clock } from '@holdfast/platform';
import { testContext, type TestDatabase } from '@holdfast/testing';
import { auditKeys, decryptionBy, exportLimits, replicaOf } from '../audit.fixture.js';
import { LogPages } from '../exported-entries/log-pages.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import type { BrokenLogs } from '../transparency/broken-logs.js';
import type { Checkpoints } from '../transparency/checkpoints.js';
import { ExportChunks } from './export-chunks.js';
import { ExportEvents } from './export-events.js';
import { ExportExpiry } from './export-expiry.worker.js';
import { ExportPages } from './export-pages.js';
import { ExportWriter } from './export-writer.js';
import { ExportWorker } from './export.worker.js';
import { Exports } from './exports.js';

/** The form of a checkpoint, without a valid root or signature. */
export function unsignedNote(org: string, size: number): string {
  const origin = `id.example/o/${org}/audit`;
  return `${origin}\n${size}\n${zeros(32)}\n\n— ${origin} ${zeros(68)}\n`;
}

function zeros(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64');
}

/** Events are inserted and not published: there is no stream. */
class UnpublishedEvents extends ExportEvents {
  override published(_: OutboxRow[]): Promise<void> {
    return Promise.resolve();
  }
}

interface ReplicaOptions {
  keys?: ReturnType<typeof auditKeys>;
  clock?: Clock;
  limits?: typeof exportLimits;
  isBroken?: () => boolean;
  /** Whether who requested an export may still do that. A rejection: nobody knows. */
  mayExport?: () => Promise<boolean>;
}

/** A replica of audit that writes exports. Its checkpoints are those of the head, with no valid signature. */
export async function exportReplica(
  tables: TestDatabase,
  connection: Bus['connection'],
  { keys = auditKeys(), clock = systemClock, limits = exportLimits, ...options }: ReplicaOptions = {},
) {
  const { isBroken = () => false, mayExport = () => Promise.resolve(true) } = options;
  const rights = { has: mayExport } as unknown as MakerRights;
  const replica = await replicaOf(tables, keys, clock);
  const database = await Database.connect({ url: tables.url(), pool: 3, applicationName: 'exports' });
  const reads = new ReadDatabase(database);
  const events = new UnpublishedEvents(new Outbox(streams.audit, database, connection));
  const chunks = new ExportChunks(database, keys);
  const exports = new Exports(database, events, clock, keys);
  const writer = new ExportWriter(database, chunks, events, clock, limits);
  const pages = new ExportPages(reads, new LogPages(database), new PseudonymMappings(reads), decryptionBy(reads, keys));
  const checkpoints = {
    newest: async (org: string) => {
      if (isBroken()) throw new Error('the log is broken');
      const [head] = await tables.query<{ size: number }>('SELECT seq::int AS size FROM audit.head WHERE org = $1', [
        org,
      ]);
      const { size } = head!;
      return { size, note: unsignedNote(org, size) };
    },
  } as unknown as Checkpoints;
  const brokenLogs = { find: () => (isBroken() ? {} : undefined) } as unknown as BrokenLogs;
  const worker = new ExportWorker(database, writer, pages, checkpoints, brokenLogs, rights);
  const expiry = new ExportExpiry(database, events, clock);
  const create = async (given: Partial<NewAuditExport> = {}, org = 'acme', actor?: Actor): Promise<AuditExport> => {
    const context = testContext({ org, ...(actor && { actor }) });
    return (await exports.create({ format: 'ndjson', proof: false, ...given }, context)).export;
  };
  /** On a busy machine a statement may fail: the run ends, and the next one continues the export. */
  const runAll = async () => {
    for (let unfinished = 1; unfinished > 0;) {
      await tables.query("UPDATE audit.export SET leased_until = 'epoch'");
      await worker.run(() => false);
      unfinished = (await tables.query("SELECT FROM audit.export WHERE state IN ('queued', 'running')")).length;
    }
  };
  const file = async ({ id, org = 'acme' }: { id: string; org?: string }): Promise<string> => {
    const { bytes } = await exports.get(org, id);
    const parts: Buffer[] = [];
    for (let offset = 0; offset < bytes; offset += parts.at(-1)!.length) parts.push(await chunks.read(org, id, offset));
    return Buffer.concat(parts).toString();
  };
  const stop = async () => {
    await database.close();
    await replica.stop();
  };
  return { ...replica, exports, writer, pages, worker, expiry, chunks, create, runAll, file, stop };
}
