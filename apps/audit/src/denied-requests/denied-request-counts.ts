import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import type { Refused } from '../append/sequencer.js';
import type { Due, DueSource } from '../intake/due-records.worker.js';
import { jitter, nextTry } from '../quarantine/retry.js';
import { recordIn } from '../quarantine/stored-record.js';

/**
 * Of organizations that have a log: its first record is that of their making, and what a refused caller made up has
 * none. All processes that counted the same refusal make one record, the first one's, with the sum.
 */
const due = statement(
  'refusal_due',
  `SELECT org, id::text, (array_agg(record ORDER BY source))[1] AS record, sum(count)::int AS count
     FROM refusal WHERE due_at <= $1 AND EXISTS (SELECT FROM head WHERE head.org = refusal.org)
    GROUP BY org, id, due_at ORDER BY due_at, org, id LIMIT 500`,
);
/**
 * LATERAL: one look into the primary key for each, whatever the planner thinks of the lengths of arrays. A count has a
 * row per process.
 */
const chosen =
  'unnest((SELECT $1::text[]), (SELECT $2::uuid[])) AS c(org, id), LATERAL (SELECT source, attempts FROM refusal WHERE org = c.org AND id = c.id OFFSET 0) r';
const ofChosen = 'f.org = c.org AND f.id = c.id AND f.source = c.source';
export const placed = statement(
  'refusal_placed',
  `DELETE FROM refusal f USING (SELECT c.org, c.id, r.source FROM ${chosen}) c WHERE ${ofChosen}`,
);
export const unclaimed = statement(
  'refusal_unclaimed',
  'DELETE FROM refusal WHERE due_at <= $1 AND NOT EXISTS (SELECT FROM head WHERE head.org = refusal.org)',
);
export const putOff = statement(
  'refusal_put_off',
  `UPDATE refusal f SET due_at = ${nextTry('$3', 'c.attempts', '$4')}, attempts = c.attempts + 1
     FROM (SELECT c.org, c.id, r.source, max(r.attempts) OVER (PARTITION BY c.org, c.id) AS attempts FROM ${chosen}) c WHERE ${ofChosen}`,
);

/** Time in which the first record of an organization arrives, in ms, should audit have been away when it was made. */
const newcomer = 600_000;

/** Refusals whose minute is over. */
@Injectable()
export class CountedRefusals implements DueSource {
  private readonly logger = new Logger('counted refusals');

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** 500 at most. */
  async due(): Promise<Due[]> {
    const rows = await this.database.rows<{ org: string; id: string; record: string; count: number }>(due, [
      this.clock.now(),
    ]);
    const unreadable: typeof rows = [];
    const refusals = rows.flatMap((row): Due[] => {
      const record = recordIn(row.record, row.id);
      if (!record) unreadable.push(row);
      return record ? [{ org: row.org, record: { ...record, outcome: { ...record.outcome, count: row.count } } }] : [];
    });
    if (unreadable.length > 0) {
      await this.postpone(unreadable);
      this.logger.error(
        `${unreadable.length} rows of audit.refusal are no records, such as ${unreadable[0]!.id} of ${unreadable[0]!.org}: they were changed. They are tried again, later each time`,
      );
    }
    return refusals;
  }

  /** Once they have their places; and those of organizations that do not exist. */
  async forget(refusals: readonly Due[]): Promise<void> {
    if (refusals.length > 0)
      await this.database.rows(placed, [refusals.map((r) => r.org), refusals.map((r) => r.record.id)]);
    await this.database.rows(unclaimed, [new Date(this.clock.now().getTime() - newcomer)]);
  }

  async putOff(refused: readonly Refused<Due>[]): Promise<void> {
    await this.postpone(refused.map(({ item: { org, record } }) => ({ org, id: record.id })));
  }

  private async postpone(refusals: readonly { org: string; id: string }[]): Promise<void> {
    await this.database.rows(putOff, [
      refusals.map((r) => r.org),
      refusals.map((r) => r.id),
      this.clock.now(),
      jitter(),
    ]);
  }
}
