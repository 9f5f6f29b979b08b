import type { AuditRecord } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/kit';
import { Inject, Injectable } from '@nestjs/common';

/** Unless the handler's own has its place already. Should that come at this very moment, the sequencer passes over ours. */
const keep = statement(
  'provisional_keep',
  `INSERT INTO provisional (org, id, record, due_at)
   SELECT org, id, record, $4 FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, record)
   WHERE NOT EXISTS (SELECT FROM place p WHERE p.org = r.org AND p.id = r.id)
   ON CONFLICT DO NOTHING`,
);
const due = statement('provisional_due', 'SELECT org, record FROM provisional WHERE due_at <= $1 ORDER BY due_at, id LIMIT 500');

/** How long the gateway's guess waits for the handler's record, in milliseconds. */
export const patience = 30_000;

/** Records of commands whose end the gateway does not know: the change may have been made, with a record of its own. */
@Injectable()
export class ProvisionalRecords {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async keep(records: { org: string; record: AuditRecord }[]): Promise<void> {
    const dueAt = new Date(this.clock.now().getTime() + patience);
    await this.database.rows(keep, [records.map((r) => r.org), records.map((r) => r.record.id), records.map((r) => JSON.stringify(r.record)), dueAt]);
  }

  /** Those for which no handler's record has come in time, 500 at most. */
  async due(): Promise<{ org: string; record: AuditRecord }[]> {
    const rows = await this.database.rows<{ org: string; record: string }>(due, [this.clock.now()]);
    return rows.map(({ org, record }) => ({ org, record: JSON.parse(record) as AuditRecord }));
  }
}
