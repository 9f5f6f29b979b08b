import { Inject, Injectable, Logger } from '@nestjs/common';
import { minuteOf } from '@holdfast/audit-client';
import type { AuditRecord } from '@holdfast/contracts';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { WHOLE_DATABASE } from '@holdfast/service';
import type { Rejected } from '../append/sequencer.js';
import { jitter, nextAttempt, parseRecord, type DueRecord, type DueRecordSource } from '../quarantine/retry.js';

/** A count that arrives after a later one of the same process changes nothing. */
const storeCounts = statement(
  'denied_request_store',
  `INSERT INTO denied_request_count (org, id, source, count, record, due_at)
   SELECT org, id, $5::uuid, count, record, due_at
     FROM unnest($1::text[], $2::uuid[], $3::int[], $4::text[], $6::timestamptz[]) AS r(org, id, count, record, due_at)
   ON CONFLICT (org, id, source) DO UPDATE SET count = GREATEST(denied_request_count.count, EXCLUDED.count)`,
);
/**
 * Only of organizations with a log: its first record is that of their creation, so invented organizations of denied
 * callers have none. All processes that counted the same denied request share one record, with the sum.
 */
const selectDue = statement(
  'denied_request_due',
  `SELECT org, id::text, (array_agg(record ORDER BY source))[1] AS record, sum(count)::int AS count
     FROM denied_request_count d WHERE due_at <= $1 AND EXISTS (SELECT FROM head WHERE head.org = d.org)
      AND ${isNotFenced('d.org')}
    GROUP BY org, id, due_at ORDER BY due_at, org, id LIMIT 500`,
);
/**
 * The rows of the given records; a count has a row per process. LATERAL: one primary key lookup for each record,
 * whatever the planner assumes about the lengths of arrays.
 */
const countsOfRecords = `unnest((SELECT $1::text[]), (SELECT $2::uuid[])) AS c(org, id),
  LATERAL (SELECT source, attempts FROM denied_request_count WHERE org = c.org AND id = c.id OFFSET 0) r`;
const isRow = 'd.org = c.org AND d.id = c.id AND d.source = c.source';
export const deleteAppendedCounts = statement(
  'denied_request_delete_appended',
  `DELETE FROM denied_request_count d USING (SELECT c.org, c.id, r.source FROM ${countsOfRecords}) c WHERE ${isRow}`,
);
export const deleteWithoutLog = statement(
  'denied_request_delete_without_log',
  `DELETE FROM denied_request_count d
    WHERE due_at <= $1 AND NOT EXISTS (SELECT FROM head WHERE head.org = d.org) AND ${isNotFenced('d.org')}`,
);
export const postponeCounts = statement(
  'denied_request_postpone',
  `UPDATE denied_request_count d SET due_at = ${nextAttempt('$3', 'c.attempts', '$4')}, attempts = c.attempts + 1
     FROM (SELECT c.org, c.id, r.source, max(r.attempts) OVER (PARTITION BY c.org, c.id) AS attempts
             FROM ${countsOfRecords}) c
    WHERE ${isRow}`,
);

/**
 * The time from the end of a minute to its record. It is longer than a count of the minute can be in transit, and than
 * the clocks of two machines differ.
 */
export const settleMs = 5000;
/** The first record of an organization arrives within this time, even if audit was unavailable at its creation. */
const newOrganizationMs = 600_000;

/** When a counted denied request becomes due. */
export function dueAt(record: AuditRecord): Date {
  return new Date((minuteOf(record) + 1) * 60_000 + settleMs);
}

/** Counts of denied requests, which become one record when their minute is over. */
@Injectable()
export class DeniedRequestCounts implements DueRecordSource {
  private readonly logger = new Logger('denied requests');

  constructor(
    @Inject(WHOLE_DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async store(source: string, counted: readonly { org: string; record: AuditRecord }[]): Promise<void> {
    const records = counted.map(({ record }) => record);
    await this.database.rows(storeCounts, [
      counted.map(({ org }) => org),
      records.map((r) => r.id),
      records.map((r) => r.outcome.count ?? 1),
      records.map((r) => JSON.stringify(r)),
      source,
      records.map(dueAt),
    ]);
  }

  /** 500 at most. */
  async due(): Promise<DueRecord[]> {
    const rows = await this.database.rows<{ org: string; id: string; record: string; count: number }>(selectDue, [
      this.clock.now(),
    ]);
    const unreadable: typeof rows = [];
    const records = rows.flatMap((row): DueRecord[] => {
      const record = parseRecord(row.record, row.id);
      if (!record) unreadable.push(row);
      return record ? [{ org: row.org, record: { ...record, outcome: { ...record.outcome, count: row.count } } }] : [];
    });
    if (unreadable.length > 0) {
      await this.postponeRows(unreadable);
      this.logger.error(
        `${unreadable.length} rows of audit.denied_request_count contain no valid record, such as ` +
          `${unreadable[0]!.id} of ${unreadable[0]!.org}: they were changed. They are retried with growing delays`,
      );
    }
    return records;
  }

  /** Deletes appended counts, and those of organizations that do not exist. */
  async deleteAppended(appended: readonly DueRecord[]): Promise<void> {
    if (appended.length > 0)
      await this.database.rows(deleteAppendedCounts, [appended.map((a) => a.org), appended.map((a) => a.record.id)]);
    await this.database.rows(deleteWithoutLog, [new Date(this.clock.now().getTime() - newOrganizationMs)]);
  }

  async postpone(rejected: readonly Rejected<DueRecord>[]): Promise<void> {
    await this.postponeRows(rejected.map(({ item: { org, record } }) => ({ org, id: record.id })));
  }

  private async postponeRows(rows: readonly { org: string; id: string }[]): Promise<void> {
    await this.database.rows(postponeCounts, [
      rows.map((r) => r.org),
      rows.map((r) => r.id),
      this.clock.now(),
      jitter(),
    ]);
  }
}
