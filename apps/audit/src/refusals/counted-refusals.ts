import type { AuditRecord } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/kit';
import { Inject, Injectable } from '@nestjs/common';

/**
 * Of organizations that have a log: its first record is that of their making, and what a refused caller made up has none.
 * All processes that counted the same refusal make one record, the first one's, with the sum.
 */
const due = statement(
  'refusal_due',
  `SELECT org, id::text, (array_agg(record ORDER BY source))[1] AS record, sum(count)::int AS count
     FROM refusal WHERE due_at <= $1 AND EXISTS (SELECT FROM head WHERE head.org = refusal.org)
    GROUP BY org, id, due_at ORDER BY due_at, org, id LIMIT 500`,
);
const placed = statement(
  'refusal_placed',
  `DELETE FROM refusal
    WHERE (org, id) IN (SELECT * FROM unnest($1::text[], $2::uuid[])) OR (due_at <= $3 AND NOT EXISTS (SELECT FROM head WHERE head.org = refusal.org))`,
);

/** Time in which the first record of an organization arrives, in ms, should audit have been away when it was made. */
const newcomer = 600_000;

export interface CountedRefusal {
  org: string;
  record: AuditRecord;
}

/** Refusals whose minute is over. */
@Injectable()
export class CountedRefusals {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** 500 at most. */
  async due(): Promise<CountedRefusal[]> {
    const rows = await this.database.rows<{ org: string; record: string; count: number }>(due, [this.clock.now()]);
    return rows.map(({ org, record, count }) => {
      const one = JSON.parse(record) as AuditRecord;
      return { org, record: { ...one, outcome: { ...one.outcome, count } } };
    });
  }

  /** Once they have their places; and those of organizations that do not exist. */
  async forget(refusals: readonly CountedRefusal[]): Promise<void> {
    await this.database.rows(placed, [refusals.map((r) => r.org), refusals.map((r) => r.record.id), new Date(this.clock.now().getTime() - newcomer)]);
  }
}
