import { Inject, Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import type { AuditRecord } from '@holdfast/contracts';
import { Database, isNotFenced, statement, withinBytes } from '@holdfast/data';
import { CLOCK, KeyEncryption, type Clock, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, WHOLE_DATABASE } from '@holdfast/service';
import { DamagedLog } from '../append/log-head.js';
import type { Rejected } from '../append/sequencer.js';
import { pendingRecordContext } from '../privacy/key-encryption.js';
import { jitter, nextAttempt, parseRecord, retryDelayMs, type DueRecord, type DueRecordSource } from './retry.js';

/**
 * Skips records whose id has an entry already. If the handler's record is appended concurrently, the sequencer skips
 * the provisional one when it becomes due.
 */
const storeProvisional = statement(
  'pending_record_store',
  `INSERT INTO pending_record (org, id, record, due_at, encryption_key_id)
   SELECT org, id, record, $4::timestamptz, $5::bytea
     FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, record)
    WHERE NOT EXISTS (SELECT FROM leaf l WHERE l.org = r.org AND l.id = r.id)
   ON CONFLICT DO NOTHING`,
);
/**
 * Replaces a pending provisional record of the same id. DISTINCT: a batch may contain the same event twice. A record
 * becomes due together with the quarantined ones of its log, or each new record would restart their retries.
 */
export const quarantineRecords = statement(
  'pending_record_quarantine',
  `INSERT INTO pending_record AS p (org, id, record, due_at, provisional, quarantined, encryption_key_id)
   SELECT DISTINCT ON (org, id) org, id, record,
     greatest($4::timestamptz,
       (SELECT due_at FROM pending_record q WHERE q.org = r.org AND q.quarantined ORDER BY due_at DESC LIMIT 1)),
     false, true, $5::bytea
     FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, record)
   ON CONFLICT (org, id) DO UPDATE SET record = excluded.record, due_at = excluded.due_at, provisional = false,
     quarantined = true, encryption_key_id = excluded.encryption_key_id
   WHERE p.provisional`,
);
const selectDue = statement(
  'pending_record_due',
  withinBytes({
    query: `SELECT org, id::text AS id, record, provisional, due_at FROM pending_record p
   WHERE due_at <= $1 AND ${isNotFenced('p.org')} ORDER BY due_at, p.id LIMIT 500`,
    columns: 'org, id, record, provisional',
    bytes: 'octet_length(record)',
    order: 'due_at, id',
    maxBytes: 4_000_000,
  }),
);
/**
 * Postpones the given records, and all due or quarantined records of damaged logs (`$3`): these then become due
 * together, in their order, and cost one attempt. The rows are first found by index, a log or record at a time: an OR
 * of both conditions would read the whole table.
 */
export const postponeRecords = statement(
  'pending_record_postpone',
  `WITH tried AS (SELECT org, id FROM unnest((SELECT $1::text[]), (SELECT $2::uuid[])) AS t(org, id)),
   affected AS (
     SELECT t.org, w.id, w.attempts FROM tried t,
       LATERAL (SELECT id, attempts FROM pending_record WHERE org = t.org AND id = t.id LIMIT 1) w
     UNION
     SELECT d.org, w.id, w.attempts FROM unnest((SELECT $3::text[])) AS d(org),
       LATERAL (
         SELECT id, attempts FROM pending_record WHERE org = d.org AND (quarantined OR due_at <= $4) OFFSET 0) w),
   logs AS (SELECT org, max(attempts) AS attempts FROM affected GROUP BY org)
   UPDATE pending_record p
      SET due_at = ${nextAttempt('$4', 'l.attempts', '$5')}, attempts = l.attempts + 1, quarantined = true
     FROM affected a JOIN logs l USING (org) WHERE p.org = a.org AND p.id = a.id`,
);
const countQuarantined = statement(
  'pending_record_count',
  'SELECT count(*)::int AS count FROM pending_record WHERE quarantined',
);

const quarantinedRecords = new Gauge({
  name: 'holdfast_audit_records_quarantined',
  help: 'Audit records that the log rejects or that cannot be decrypted. They are stored and retried',
});

/** How long a provisional record waits for the handler's record. */
export const provisionalTtlMs = 30_000;

interface OrgRecord {
  org: string;
  record: AuditRecord;
}

/**
 * Stores records that cannot be appended yet: provisional ones, because the command may have succeeded and written a
 * record of its own; and quarantined ones, which their log rejects until somebody has repaired it.
 */
@Injectable()
export class PendingRecords implements DueRecordSource {
  private readonly logger = new Logger('pending records');
  private readonly encryption: KeyEncryption;

  constructor(
    @Inject(WHOLE_DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: KeyEncryptionConfig,
  ) {
    this.encryption = new KeyEncryption(config, 'audit');
  }

  async storeProvisional(records: readonly OrgRecord[]): Promise<void> {
    await this.database.rows(storeProvisional, this.parameters(records, provisionalTtlMs));
  }

  /** Stores all of the rejected records, or none. */
  async quarantine(rejected: readonly Rejected[]): Promise<void> {
    const records = rejected.flatMap(({ item: { org, record } }) => (record ? [{ org, record }] : []));
    if (records.length === 0) return;
    await this.database.rows(quarantineRecords, this.parameters(records, retryDelayMs.first * jitter()));
    const orgs = [...new Set(records.map(({ org }) => org))].join(', ');
    this.logger.error(
      `${records.length} records of ${orgs} cannot be appended and are quarantined: ${String(rejected[0]!.error)}. ` +
        'See "When audit records are quarantined" in the runbook',
    );
  }

  /** Expired provisional records and quarantined ones to be retried: 500 at most, and 4 MB unless it is one. */
  async due(): Promise<DueRecord[]> {
    const [{ count } = { count: 0 }] = await this.database.rows<{ count: number }>(countQuarantined);
    quarantinedRecords.set(count);
    const rows = await this.database.rows<{ org: string; id: string; record: string; provisional: boolean }>(
      selectDue,
      [this.clock.now()],
    );
    const undecryptable: typeof rows = [];
    const records = rows.flatMap((row): DueRecord[] => {
      const record = this.decrypt(row);
      if (!record) undecryptable.push(row);
      return record ? [{ org: row.org, record, provisional: row.provisional }] : [];
    });
    if (undecryptable.length > 0) {
      await this.postponeRows(undecryptable, []);
      this.logger.error(
        `${undecryptable.length} records cannot be decrypted, such as ${undecryptable[0]!.id} of ` +
          `${undecryptable[0]!.org}: they were encrypted with another KEY_ENCRYPTION_KEY, or changed. ` +
          'They stay stored and are retried with growing delays',
      );
    }
    return records;
  }

  async postpone(rejected: readonly Rejected<DueRecord>[]): Promise<void> {
    const damaged = rejected.filter(({ error }) => error instanceof DamagedLog).map(({ item }) => item.org);
    await this.postponeRows(
      rejected.map(({ item: { org, record } }) => ({ org, id: record.id })),
      [...new Set(damaged)],
    );
  }

  private async postponeRows(rows: readonly { org: string; id: string }[], damagedLogs: string[]): Promise<void> {
    await this.database.rows(postponeRecords, [
      rows.map((r) => r.org),
      rows.map((r) => r.id),
      damagedLogs,
      this.clock.now(),
      jitter(),
    ]);
  }

  /** Encrypts the records: they contain the ids that the log replaces, and may outlive an erasure in this table. */
  private parameters(records: readonly OrgRecord[], delayMs: number): unknown[] {
    return [
      records.map((r) => r.org),
      records.map((r) => r.record.id),
      records.map(({ record }) =>
        this.encryption.encrypt(JSON.stringify(record), pendingRecordContext).toString('base64'),
      ),
      new Date(this.clock.now().getTime() + delayMs),
      this.encryption.keyId,
    ];
  }

  /** The operator's records of dropped partitions contain no personal data and are stored as plain JSON. */
  private decrypt({ id, record }: { id: string; record: string }): AuditRecord | undefined {
    const plain = record.startsWith('{')
      ? record
      : this.encryption.decrypt(Buffer.from(record, 'base64'), pendingRecordContext)?.toString();
    return plain === undefined ? undefined : parseRecord(plain, id);
  }
}
