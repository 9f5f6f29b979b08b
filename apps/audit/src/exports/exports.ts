import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditExport, listAuditExports, NewAuditExport, ReplyOf, RequestContext } from '@holdfast/contracts';
import { Database, namedStatement, rowOf, statement, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, CLOCK, KeyEncryption, newId, type Clock, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { deleteChunks } from '../append/erased-exports.js';
import { exportKeyContext } from '../privacy/key-encryption.js';
import { ExportEvents } from './export-events.js';
import { exportColumns, exportOf, type ExportRow } from './export-row.js';

/** Of one organization: that are queued or running, and that have a file. */
const maxUnfinished = 2;
const maxFiles = 20;

/** The head of the log, for the few milliseconds of a creation: two at once must not both find room. */
const lockOrganization = statement('exports_lock', 'SELECT FROM head WHERE org = $1 FOR UPDATE');
/** Without a head, such as before the first entry, there would be nothing to lock. */
const newHead = statement('exports_head', 'INSERT INTO head (org, seq) VALUES ($1, 0) ON CONFLICT DO NOTHING');
const countOf = statement(
  'exports_count',
  `SELECT count(*) FILTER (WHERE state IN ('queued', 'running'))::int AS unfinished,
     count(*) FILTER (WHERE state = 'ready')::int AS files
   FROM export WHERE org = $1 AND state IN ('queued', 'running', 'ready')`,
);
const insert = namedStatement(
  'export_insert',
  {
    id: 'uuid',
    org: 'text',
    format: 'text',
    proof: 'boolean',
    filter: 'text',
    requester_type: 'text',
    requester_id: 'text',
    created_at: 'timestamptz',
    key: 'bytea',
    encryption_key_id: 'bytea',
  },
  (row) => `INSERT INTO export ${rowOf({ ...row, state: "'queued'" })} RETURNING ${exportColumns}`,
);
const select = statement('export_select', `SELECT ${exportColumns} FROM export WHERE org = $1 AND id = $2`);
const list = statement(
  'export_list',
  `SELECT ${exportColumns} FROM export WHERE org = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
);
const listAfter = statement(
  'export_list_after',
  `SELECT ${exportColumns} FROM export WHERE org = $1 AND (created_at, id) < ($3::timestamptz, $4::uuid)
   ORDER BY created_at DESC, id DESC LIMIT $2`,
);
const end = statement(
  'export_end',
  `UPDATE export SET state = CASE state WHEN 'ready' THEN 'expired' ELSE 'canceled' END,
     reason = CASE state WHEN 'ready' THEN 'deleted' END,
     finished_at = $3, fence = fence + 1, version = version + 1, stored_bytes = 0
   WHERE org = $1 AND id = $2 AND state IN ('queued', 'running', 'ready') RETURNING ${exportColumns}`,
);
const countDownload = statement(
  'export_download',
  `UPDATE export SET downloads = downloads + ($4 = 0)::int, downloaded_at = $3
   WHERE org = $1 AND id = $2 AND state = 'ready' RETURNING ${exportColumns}`,
);

/** The exports of organizations, as requests create, read and end them. */
@Injectable()
export class Exports {
  private readonly encryption: KeyEncryption;

  constructor(
    private readonly database: Database,
    private readonly events: ExportEvents,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: KeyEncryptionConfig,
  ) {
    this.encryption = new KeyEncryption(config, 'audit');
  }

  async create(given: NewAuditExport, context: RequestContext, keyed?: KeyedRequest): Promise<{ export: AuditExport }> {
    const { org, actor } = context;
    const { format, proof, ...choice } = given;
    const id = newId();
    const at = this.clock.now();
    const sealed = this.encryption.encrypt(randomBytes(32), exportKeyContext(org, id));
    const { reply, rows } = await this.database.transaction(async (sql) => {
      await requireRoom(sql, org);
      const values = insert.values({
        id,
        org,
        format,
        proof,
        filter: JSON.stringify(choice),
        requester_type: actor.type,
        requester_id: actor.id,
        created_at: at,
        key: sealed,
        encryption_key_id: this.encryption.keyId,
      });
      const [row] = await sql.rows<ExportRow>(insert, values);
      const reply = { export: exportOf(row!) };
      const rows = await this.events.insert(sql, [
        {
          ...{ type: 'audit.export.created', row: row!, context, at },
          audited: {
            action: 'audit.export.create',
            targets: [{ type: 'audit_export', id }],
            outcome: { result: 'success', status: 202 },
            changes: { format: { to: format }, proof: { to: proof } },
          },
        },
      ]);
      await keyed?.store(sql, reply, { event: rows[0]!.id, version: 1 });
      return { reply, rows };
    });
    await this.events.published(rows);
    return reply;
  }

  /** Cancels it, or deletes its file. */
  async end(id: string, context: RequestContext, keyed?: KeyedRequest): Promise<{ changed: boolean }> {
    const { org } = context;
    const at = this.clock.now();
    const rows = await this.database.transaction(async (sql) => {
      const [row] = await sql.rows<ExportRow>(end, [org, id, at]);
      if (!row) return [];
      await sql.rows(deleteChunks, [[id]]);
      const inserted = await this.events.insert(sql, [
        {
          ...{ type: 'audit.export.expired', row, context, at },
          data: { cause: row.state === 'canceled' ? 'canceled' : 'deleted' },
          audited: {
            action: 'audit.export.delete',
            targets: [{ type: 'audit_export', id }],
            outcome: { result: 'success', status: 204 },
          },
        },
      ]);
      await keyed?.store(sql, { changed: true }, { event: inserted[0]!.id, version: row.version });
      return inserted;
    });
    if (rows.length === 0) await this.get(org, id);
    await this.events.published(rows);
    return { changed: rows.length > 0 };
  }

  /** @throws unknown_export */
  async get(org: string, id: string): Promise<AuditExport> {
    const [row] = await this.database.rows<ExportRow>(select, [org, id]);
    if (!row) throw new AppError('unknown_export');
    return exportOf(row);
  }

  async list(
    org: string,
    limit: number,
    after?: { createdAt: string; id: string },
  ): Promise<ReplyOf<typeof listAuditExports>> {
    const rows = await (after
      ? this.database.rows<ExportRow>(listAfter, [org, limit + 1, after.createdAt, after.id])
      : this.database.rows<ExportRow>(list, [org, limit + 1]));
    const items = rows.slice(0, limit).map(exportOf);
    const last = rows.length > limit ? items.at(-1)! : undefined;
    return { items, ...(last && { next: { createdAt: last.createdAt, id: last.id } }) };
  }

  /** Counts a download that begins at the first byte. @throws unknown_export; invalid_state when there is no file */
  async open(org: string, id: string, first: number): Promise<AuditExport> {
    const [row] = await this.database.rows<ExportRow>(countDownload, [org, id, this.clock.now(), first]);
    if (row) return exportOf(row);
    const { state, reason } = await this.get(org, id);
    throw new AppError(
      'invalid_state',
      `The export is ${state}${reason === undefined ? '' : ` (${reason})`}, so it has no file.` +
        (state === 'queued' || state === 'running' ? ' Try again when it is ready.' : ' Create another one.'),
    );
  }
}

/** @throws conflict when the organization has too many exports */
async function requireRoom(sql: Sql, org: string): Promise<void> {
  if ((await sql.rows(lockOrganization, [org])).length === 0) {
    await sql.rows(newHead, [org]);
    await sql.rows(lockOrganization, [org]);
  }
  const [{ unfinished, files } = { unfinished: 0, files: 0 }] = await sql.rows<{ unfinished: number; files: number }>(
    countOf,
    [org],
  );
  if (unfinished >= maxUnfinished)
    throw new AppError(
      'conflict',
      `${unfinished} exports are not finished, and an organization may have ${maxUnfinished}. Wait until one is ` +
        'ready, or delete one.',
    );
  if (files + unfinished >= maxFiles)
    throw new AppError('conflict', `${files} exports have a file, and ${maxFiles} may have one. Delete one.`);
}
