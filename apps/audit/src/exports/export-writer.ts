import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditExport } from '@holdfast/contracts';
import { columns, Database, isNotFenced, namedStatement, statement } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { deleteChunks } from '../append/erased-exports.js';
import type { AuditConfig } from '../config.js';
import { ExportChunks, type SealedChunk } from './export-chunks.js';
import { ExportEvents } from './export-events.js';
import { exportColumns, type ExportRow } from './export-row.js';

/** After this time another replica continues the export of one that was killed or is paused. */
const leaseSeconds = 30;
const lease = `clock_timestamp() + interval '${leaseSeconds} seconds'`;
const dayMs = 86_400_000;
/** The lease is extended each time so many chunks were read. */
const chunksPerExtension = 100;

/** By the clock of the database, which is the same for all replicas. The one that has waited longest comes first. */
const claim = statement(
  'export_claim',
  `UPDATE export SET state = 'running', fence = fence + 1, leased_until = ${lease}
   WHERE id = (
     SELECT id FROM export e
      WHERE state IN ('queued', 'running') AND leased_until < clock_timestamp() AND ${isNotFenced('e.org')}
      ORDER BY leased_until, created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING ${exportColumns}, key, fence, failures`,
);
/**
 * Waits until the append in progress has ended. An erasure that read the exports before this one was claimed does not
 * make it begin again: without its record the checkpoint of this export would be older than the names that are gone.
 */
const afterAppend = statement('export_after_append', 'SELECT FROM head WHERE org = $1 FOR SHARE');
const release = statement(
  'export_release',
  `UPDATE export SET leased_until = clock_timestamp() + $3 * interval '1 millisecond',
     failures = CASE WHEN $3 > 0 THEN failures + 1 ELSE failures END
   WHERE id = $1 AND fence = $2 AND state = 'running'`,
);
const extend = statement(
  'export_extend',
  `UPDATE export SET leased_until = ${lease} WHERE id = $1 AND fence = $2 AND state = 'running' RETURNING id`,
);
const begin = statement(
  'export_begin',
  `UPDATE export SET size = $3, checkpoint = $4 WHERE id = $1 AND fence = $2 AND state = 'running'
   RETURNING ${exportColumns}`,
);
const restart = statement(
  'export_restart',
  `UPDATE export SET size = NULL, checkpoint = NULL, place = 0, entries = 0, bytes = 0, stored_bytes = 0,
     fence = fence + 1, leased_until = 'epoch'
   WHERE id = $1 AND fence = $2 AND state = 'running' RETURNING id`,
);
/** Chunks and place in one statement: the replica that continues finds both, or none. */
const append = namedStatement(
  'export_append',
  {
    id: 'uuid',
    fence: 'int',
    place: 'bigint',
    entries: 'bigint',
    bytes: 'bigint',
    stored: 'bigint',
    chunks: columns<SealedChunk>({
      start: ['bigint', (c) => c.start],
      length: ['int', (c) => c.length],
      data: ['bytea', (c) => c.data],
    }),
  },
  ({ id, fence, place, entries, bytes, stored, chunks }) =>
    `WITH job AS (
     UPDATE export SET place = ${place}, entries = entries + ${entries}, bytes = bytes + ${bytes},
       stored_bytes = stored_bytes + ${stored}, failures = 0, leased_until = ${lease}
     WHERE id = ${id} AND fence = ${fence} AND state = 'running'
     RETURNING ${exportColumns}, stored_bytes AS "storedBytes"),
   chunks AS (
     INSERT INTO export_chunk (export, ${chunks.names}) SELECT job.id, c.* FROM job, ${chunks.unnest('c')})
   SELECT job.*, (SELECT coalesce(sum(stored_bytes), 0)::bigint FROM export o WHERE o.org = job.org AND o.id <> job.id)
     + "storedBytes" AS "ofOrganization" FROM job`,
);
const finish = statement(
  'export_finish',
  `UPDATE export SET state = 'ready', finished_at = $3, expires_at = $4, sha256 = $5, version = version + 1
   WHERE id = $1 AND fence = $2 AND state = 'running' RETURNING ${exportColumns}`,
);
const fail = statement(
  'export_fail',
  `UPDATE export SET state = 'failed', reason = $3, finished_at = $4, version = version + 1, stored_bytes = 0,
     fence = fence + 1
   WHERE id = $1 AND fence = $2 AND state = 'running' RETURNING ${exportColumns}`,
);

/** An export that this replica may write, until another one claims it. */
export interface ClaimedExport extends ExportRow {
  key: Buffer;
  fence: number;
  failures: number;
}

/** The export was canceled, or another replica has it: what was read is not written. */
export class LostExport extends Error {}

/** Writes files of exports. Nothing is written once the fence of a claim is outdated. */
@Injectable()
export class ExportWriter {
  constructor(
    private readonly database: Database,
    private readonly chunks: ExportChunks,
    private readonly events: ExportEvents,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<AuditConfig, 'AUDIT_EXPORT_DAYS' | 'AUDIT_EXPORTS_MAX_BYTES'>,
  ) {}

  async claim(): Promise<ClaimedExport | undefined> {
    return (await this.database.rows<ClaimedExport>(claim))[0];
  }

  /** Lets another replica continue, at once or, after a failure, later. */
  async release({ id, fence }: ClaimedExport, afterMs = 0): Promise<void> {
    await this.database.rows(release, [id, fence, afterMs]);
  }

  /** To be called before the checkpoint of an export is made: an erasure from now on makes the export begin again. */
  async afterAppend({ org }: ClaimedExport): Promise<void> {
    await this.database.rows(afterAppend, [org]);
  }

  async begin(job: ClaimedExport, size: number, checkpoint: string): Promise<ClaimedExport> {
    return this.changed(job, await this.database.rows<ExportRow>(begin, [job.id, job.fence, size, checkpoint]));
  }

  /** @returns the export as it is now, and whether the files of its organization have become too large */
  async append(
    job: ClaimedExport,
    text: string,
    { entries, place }: { entries: number; place: number },
  ): Promise<{ job: ClaimedExport; isTooLarge: boolean }> {
    const bytes = Buffer.from(text);
    const key = this.chunks.keyOf(job.org, job.id, job.key);
    const chunks = await this.chunks.sealed(key, job.id, job.bytes, bytes);
    const stored = chunks.reduce((sum, { data }) => sum + data.length, 0);
    const rows = await this.database.rows<ExportRow & { storedBytes: number; ofOrganization: number }>(
      append,
      append.values({ id: job.id, fence: job.fence, place, entries, bytes: bytes.length, stored, chunks }),
    );
    const isTooLarge = (rows[0]?.ofOrganization ?? 0) > this.config.AUDIT_EXPORTS_MAX_BYTES;
    return { job: this.changed(job, rows), isTooLarge };
  }

  /** The file is complete. */
  async finish(job: ClaimedExport): Promise<void> {
    const sha256 = await this.digest(job);
    const at = this.clock.now();
    const expiresAt = new Date(at.getTime() + this.config.AUDIT_EXPORT_DAYS * dayMs);
    const rows = await this.database.transaction(async (sql) => {
      const [row] = await sql.rows<ExportRow>(finish, [job.id, job.fence, at, expiresAt, sha256]);
      if (!row) throw new LostExport();
      const context = { ...systemContext('audit'), org: job.org };
      const data = { expiresAt: expiresAt.toISOString() };
      return this.events.insert(sql, [{ type: 'audit.export.ready', row, context, at, data }]);
    });
    await this.events.published(rows);
  }

  async fail(job: ClaimedExport, reason: NonNullable<AuditExport['reason']>): Promise<void> {
    const at = this.clock.now();
    const rows = await this.database.transaction(async (sql) => {
      const [row] = await sql.rows<ExportRow>(fail, [job.id, job.fence, reason, at]);
      if (!row) return [];
      await sql.rows(deleteChunks, [[job.id]]);
      const context = { ...systemContext('audit'), org: job.org };
      return this.events.insert(sql, [{ type: 'audit.export.failed', row, context, at }]);
    });
    await this.events.published(rows);
  }

  async restart({ id, fence }: ClaimedExport): Promise<void> {
    await this.database.transaction(async (sql) => {
      const rows = await sql.rows(restart, [id, fence]);
      if (rows.length > 0) await sql.rows(deleteChunks, [[id]]);
    });
  }

  /** SHA-256 of the file as it is stored, so that it does not depend on who has written which part. */
  private async digest(job: ClaimedExport): Promise<string> {
    const hash = createHash('sha256');
    let read = 0;
    for (let offset = 0; offset < job.bytes; read += 1) {
      if (read % chunksPerExtension === 0)
        this.changed(job, await this.database.rows<ExportRow>(extend, [job.id, job.fence]));
      const part = await this.chunks.read(job.org, job.id, offset, true);
      hash.update(part);
      offset += part.length;
    }
    return hash.digest('hex');
  }

  /** @throws LostExport when the statement has found no row with the fence of the claim */
  private changed(job: ClaimedExport, [row]: ExportRow[]): ClaimedExport {
    if (!row) throw new LostExport();
    return { ...job, ...row };
  }
}
