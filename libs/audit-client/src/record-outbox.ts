import { Inject, Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import type { AuditRecord } from '@holdfast/contracts';
import { Database, statement, withinBytes, type Sql } from '@holdfast/data';
import { encryptionKeysOf, requireRecordable, seal, unseal, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, Interval, type SealedTable } from '@holdfast/service';
import { AuditWriter } from './audit-writer.js';

/** How long the response waits until the record is appended, as for every other change (libs/outbox/src/outbox.ts). */
const appendTimeoutMs = 1000;
const batchSize = 500;
const maxBatchBytes = 4_000_000;

const insert = statement('record_outbox_insert', 'INSERT INTO record_outbox (id, org, record) VALUES ($1, $2, $3)');
const remove = statement('record_outbox_remove', 'DELETE FROM record_outbox WHERE id = ANY ($1)');
/** The handler that inserted a younger record is still appending it. */
const overdue = statement(
  'record_outbox_overdue',
  withinBytes({
    query: `SELECT id, org, record, created_at FROM record_outbox WHERE created_at < now() - interval '2 seconds'
   ORDER BY created_at, id LIMIT ${batchSize}`,
    columns: 'id, org, record',
    bytes: 'octet_length(record)',
    order: 'created_at, id',
    maxBytes: maxBatchBytes,
  }),
);
const countOverdue = statement(
  'record_outbox_count',
  `SELECT count(*)::int AS rows FROM record_outbox WHERE created_at < now() - interval '2 seconds'`,
);

interface Row {
  id: string;
  org: string;
  record: Buffer;
}

const pendingGauge = new Gauge({
  name: 'holdfast_records_pending',
  help: 'Audit records of committed changes in auth, issuance or signals that audit has not appended within 2 seconds',
});

/**
 * Audit records of changes that no event announces. Each commits with its change and is appended to the log
 * afterwards, so that changes succeed while audit is unavailable (product §7). Any replica appends any record, twice if
 * need be: audit deduplicates by id. Only audit consumes these records, so they need no stream
 * (docs/adr/0003-outbox-and-relay.md).
 */
@Injectable()
export class RecordOutbox {
  private readonly logger = new Logger('record outbox');

  constructor(
    private readonly database: Database,
    private readonly audit: AuditWriter,
    @Inject(CONFIG) private readonly config: KeyEncryptionConfig,
  ) {}

  /** Inserts a record in the transaction of its change. @throws invalid_request when the record is too large */
  async add(sql: Sql, org: string, record: AuditRecord): Promise<void> {
    requireRecordable(record);
    await sql.rows(insert, [
      record.id,
      org,
      seal(this.config.KEY_ENCRYPTION_KEY, JSON.stringify(record), recordContext(org, record.id)),
    ]);
  }

  /**
   * Appends a committed record to the log, in one second at most, and the response waits for it. If it fails, the sweep
   * appends the record.
   */
  async append(org: string, record: AuditRecord): Promise<void> {
    try {
      await this.audit.append(org, record, { committed: true, timeoutMs: appendTimeoutMs });
      await this.database.rows(remove, [[record.id]]);
    } catch (error) {
      this.logger.warn(
        `Failed to append the audit record ${record.id} (${record.action}) of ${org}. ` +
          `It is committed and will be appended later: ${String(error)}`,
      );
    }
  }

  @Interval({
    name: 'record_outbox',
    intervalMs: 1000,
    due: "(SELECT min(created_at) FROM record_outbox) < now() - interval '2 seconds'",
    failure: 'Failed to append audit records of committed changes. They stay in the table record_outbox',
  })
  async sweep(stopping: () => boolean): Promise<void> {
    const [pending = { rows: 0 }] = await this.database.rows<{ rows: number }>(countOverdue);
    pendingGauge.set(pending.rows);
    for (let left = pending.rows; left > 0 && !stopping();) {
      const appended = await this.appendBatch();
      if (appended === 0) return;
      left -= appended;
    }
  }

  /** @returns how many rows there were */
  private async appendBatch(): Promise<number> {
    const rows = await this.database.rows<Row>(overdue);
    const results = await Promise.allSettled(rows.map((row) => this.appendRow(row)));
    await this.database.rows(remove, [rows.filter((_, i) => results[i]!.status === 'fulfilled').map(({ id }) => id)]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return rows.length;
  }

  private async appendRow({ id, org, record }: Row): Promise<void> {
    const json = unseal(encryptionKeysOf(this.config), record, recordContext(org, id)).toString();
    await this.audit.append(org, JSON.parse(json) as AuditRecord, { committed: true });
  }
}

function recordContext(org: string, id: string): string {
  return `record_outbox ${org} ${id}`;
}

/** The table, for a service's migrations. Records are encrypted, since they may name a customer or person. */
export const recordOutboxTables: readonly string[] = [
  `CREATE TABLE record_outbox (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     record bytea NOT NULL,
     created_at timestamptz(3) NOT NULL DEFAULT now())`,
  'CREATE INDEX record_outbox_created ON record_outbox (created_at, id)',
];

/** Records that are encrypted again during a rotation of KEY_ENCRYPTION_KEY. */
export const pendingRecords: SealedTable = {
  name: 'record_outbox',
  column: 'record',
  key: { id: 'uuid' },
  further: ['org'],
  contextOf: ({ org, id }: { org: string; id: string }) => recordContext(org, id),
};
