import type { AuditRecord } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { CONFIG } from '@holdfast/bus';
import { CLOCK, seal, unseal, type Clock } from '@holdfast/kit';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditConfig } from '../config.js';

/** Unless the handler's own has its place already. Should that come at this very moment, the sequencer passes over ours. */
const keep = statement(
  'provisional_keep',
  `INSERT INTO provisional (org, id, record, due_at)
   SELECT org, id, record, $4 FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, record)
   WHERE NOT EXISTS (SELECT FROM place p WHERE p.org = r.org AND p.id = r.id)
   ON CONFLICT DO NOTHING`,
);
const due = statement('provisional_due', 'SELECT org, record FROM provisional WHERE due_at <= $1 ORDER BY due_at, id LIMIT 500');

const context = 'audit provisional';

/** How long the gateway's guess waits for the handler's record, in milliseconds. */
export const patience = 30_000;

/** Records of commands whose end the gateway does not know: the change may have been made, with a record of its own. */
@Injectable()
export class ProvisionalRecords {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<AuditConfig, 'KEY_ENCRYPTION_KEY'>,
  ) {}

  async keep(records: { org: string; record: AuditRecord }[]): Promise<void> {
    const dueAt = new Date(this.clock.now().getTime() + patience);
    await this.database.rows(keep, [records.map((r) => r.org), records.map((r) => r.record.id), records.map((r) => this.sealed(r.record)), dueAt]);
  }

  /** Those for which no handler's record has come in time, 500 at most. */
  async due(): Promise<{ org: string; record: AuditRecord }[]> {
    const rows = await this.database.rows<{ org: string; record: string }>(due, [this.clock.now()]);
    return rows.map(({ org, record }) => ({ org, record: this.opened(record) }));
  }

  /** It names whom the log names by pseudonyms only, and may wait longer than an erasure takes. */
  private sealed(record: AuditRecord): string {
    return seal(this.config.KEY_ENCRYPTION_KEY, JSON.stringify(record), context).toString('base64');
  }

  /** The operator's records of what was dropped name nobody and lie here as they are. */
  private opened(text: string): AuditRecord {
    return JSON.parse(text.startsWith('{') ? text : unseal(this.config.KEY_ENCRYPTION_KEY, Buffer.from(text, 'base64'), context).toString()) as AuditRecord;
  }
}
