import { Controller, Inject } from '@nestjs/common';
import { minuteOf } from '@holdfast/audit-client';
import { countDeniedRequests, type AuditRecord, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { CLOCK, unavailable, type Clock } from '@holdfast/platform';

/** A count that arrives after a later one of the same process changes nothing. */
const keep = statement(
  'refusal_keep',
  `INSERT INTO refusal (org, id, source, count, record, due_at)
   SELECT org, id, $5::uuid, count, record, due_at FROM unnest($1::text[], $2::uuid[], $3::int[], $4::text[], $6::timestamptz[]) AS r(org, id, count, record, due_at)
   ON CONFLICT (org, id, source) DO UPDATE SET count = GREATEST(refusal.count, EXCLUDED.count)`,
);

/** After the end of a minute, in ms: longer than a count of it can be under way, and clocks of two machines apart. */
export const settled = 5000;

/** When a counted refusal gets its place. */
export function dueOf(record: AuditRecord): Date {
  return new Date((minuteOf(record) + 1) * 60_000 + settled);
}

/** Keeps the counts of refusals while their minute runs. */
@Controller()
export class CountRefusalsHandler {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unavailable when the record may have its place already: nothing would ever count it */
  @Handles(countDeniedRequests)
  async handle({
    source,
    refusals,
  }: RequestOf<typeof countDeniedRequests>): Promise<ReplyOf<typeof countDeniedRequests>> {
    const records = refusals.map((r) => r.record);
    const due = records.map(dueOf);
    if (due.some((at) => at <= this.clock.now())) throw unavailable('the minute of a refusal is over');
    await this.database.rows(keep, [
      refusals.map((r) => r.org),
      records.map((r) => r.id),
      records.map((r) => r.outcome.count ?? 1),
      records.map((r) => JSON.stringify(r)),
      source,
      due,
    ]);
    return {};
  }
}
