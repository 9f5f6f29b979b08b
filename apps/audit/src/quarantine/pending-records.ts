import { Inject, Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import type { AuditRecord } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { DamagedLog } from '../append/log-head.js';
import type { Refused } from '../append/sequencer.js';
import type { Due, DueSource } from '../intake/due-records.worker.js';
import { EncryptionKeys, type EncryptionConfig } from '../privacy/key-encryption.js';
import { jitter, nextTry, retryMs } from './retry.js';
import { recordIn } from './stored-record.js';

/**
 * Unless the handler's own has its place already. Should that come at this very moment, the sequencer passes over ours.
 */
const keep = statement(
  'provisional_keep',
  `INSERT INTO provisional (org, id, record, due_at, key_id)
   SELECT org, id, record, $4::timestamptz, $5::bytea FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, record)
   WHERE NOT EXISTS (SELECT FROM place p WHERE p.org = r.org AND p.id = r.id)
   ON CONFLICT DO NOTHING`,
);
/**
 * In the place of the gateway's guess, should that wait here. A batch may hold the same event twice. It is tried with
 * those of its log that are parked already: each new record would otherwise begin their tries anew.
 */
export const park = statement(
  'provisional_park',
  `INSERT INTO provisional AS p (org, id, record, due_at, guess, parked, key_id)
   SELECT DISTINCT ON (org, id) org, id, record, greatest($4::timestamptz, (SELECT due_at FROM provisional w WHERE w.org = r.org AND w.parked ORDER BY due_at DESC LIMIT 1)), false, true, $5::bytea
     FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, record)
   ON CONFLICT (org, id) DO UPDATE SET record = excluded.record, due_at = excluded.due_at, guess = false, parked = true, key_id = excluded.key_id WHERE p.guess`,
);
const due = statement(
  'provisional_due',
  'SELECT org, id::text, record, guess FROM provisional WHERE due_at <= $1 ORDER BY due_at, id LIMIT 500',
);
/**
 * Of a damaged log (`$3`) all that waits: its records are then due together, in their order, and tried once. What is
 * put off is first found by index, a log or record at a time: an OR of both would read the table.
 */
export const putOff = statement(
  'provisional_put_off',
  `WITH tried AS (SELECT org, id FROM unnest((SELECT $1::text[]), (SELECT $2::uuid[])) AS t(org, id)),
   waiting AS (
     SELECT t.org, w.id, w.attempts FROM tried t, LATERAL (SELECT id, attempts FROM provisional WHERE org = t.org AND id = t.id LIMIT 1) w
     UNION
     SELECT d.org, w.id, w.attempts FROM unnest((SELECT $3::text[])) AS d(org), LATERAL (SELECT id, attempts FROM provisional WHERE org = d.org AND (parked OR due_at <= $4) OFFSET 0) w),
   logs AS (SELECT org, max(attempts) AS attempts FROM waiting GROUP BY org)
   UPDATE provisional p SET due_at = ${nextTry('$4', 'l.attempts', '$5')}, attempts = l.attempts + 1, parked = true
     FROM waiting w JOIN logs l USING (org) WHERE p.org = w.org AND p.id = w.id`,
);
const count = statement('provisional_parked', 'SELECT count(*)::int AS parked FROM provisional WHERE parked');

const parked = new Gauge({
  name: 'holdfast_audit_records_parked',
  help: 'Audit records that could not be given their places, or not be opened: they are kept and tried again',
});

export const recordContext = 'audit provisional';

/** How long the gateway's guess waits for the handler's record, in milliseconds. */
export const patience = 30_000;

interface Kept {
  org: string;
  record: AuditRecord;
}

/**
 * Records that wait for their places: guesses of the gateway, which does not know how a command ended (the change may
 * have been made, with a record of its own), and what a log refuses until somebody has mended it.
 */
@Injectable()
export class WaitingRecords implements DueSource {
  private readonly logger = new Logger('waiting records');
  private readonly keys: EncryptionKeys;

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: EncryptionConfig,
  ) {
    this.keys = new EncryptionKeys(config);
  }

  async keep(guesses: readonly Kept[]): Promise<void> {
    await this.database.rows(keep, this.rows(guesses, patience));
  }

  /** What a log refused, but must not be lost: all of it, or none. */
  async park(refused: readonly Refused[]): Promise<void> {
    const records = refused.flatMap(({ item: { org, record } }) => (record ? [{ org, record }] : []));
    if (records.length === 0) return;
    await this.database.rows(park, this.rows(records, retryMs.first * jitter()));
    const orgs = [...new Set(records.map(({ org }) => org))].join(', ');
    this.logger.error(
      `${records.length} records of ${orgs} cannot be given a place and are parked: ${String(refused[0]!.fault)}. See "When audit records are parked" in the runbook`,
    );
  }

  /** Guesses for which no handler's record has come in time, and what is to be tried again; 500 at most. */
  async due(): Promise<Due[]> {
    const [{ parked: waiting } = { parked: 0 }] = await this.database.rows<{ parked: number }>(count);
    parked.set(waiting);
    const rows = await this.database.rows<{ org: string; id: string; record: string; guess: boolean }>(due, [
      this.clock.now(),
    ]);
    const closed: typeof rows = [];
    const records = rows.flatMap((row): Due[] => {
      const record = this.opened(row);
      if (!record) closed.push(row);
      return record ? [{ org: row.org, record, provisional: row.guess }] : [];
    });
    if (closed.length > 0) {
      await this.postpone(closed, []);
      this.logger.error(
        `${closed.length} records cannot be opened, such as ${closed[0]!.id} of ${closed[0]!.org}: they were sealed with another KEY_ENCRYPTION_KEY, or changed. They are kept and tried again, later each time`,
      );
    }
    return records;
  }

  async putOff(refused: readonly Refused<Due>[]): Promise<void> {
    const damaged = refused.filter(({ fault }) => fault instanceof DamagedLog).map(({ item }) => item.org);
    await this.postpone(
      refused.map(({ item: { org, record } }) => ({ org, id: record.id })),
      [...new Set(damaged)],
    );
  }

  private async postpone(records: readonly { org: string; id: string }[], damaged: string[]): Promise<void> {
    const now = this.clock.now();
    await this.database.rows(putOff, [records.map((r) => r.org), records.map((r) => r.id), damaged, now, jitter()]);
  }

  /** Sealed: they name whom the log names by pseudonyms only, and may wait longer than an erasure takes. */
  private rows(records: readonly Kept[], wait: number): unknown[] {
    const sealed = records.map(({ record }) =>
      this.keys.seal(JSON.stringify(record), recordContext).toString('base64'),
    );
    return [
      records.map((r) => r.org),
      records.map((r) => r.record.id),
      sealed,
      new Date(this.clock.now().getTime() + wait),
      this.keys.id,
    ];
  }

  /** The operator's records of what was dropped name nobody and lie here as they are. */
  private opened({ id, record: text }: { id: string; record: string }): AuditRecord | undefined {
    const plain = text.startsWith('{') ? text : this.keys.open(Buffer.from(text, 'base64'), recordContext)?.toString();
    return plain === undefined ? undefined : recordIn(plain, id);
  }
}
