import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import type { getTransmitter, ReplyOf, RequestContext } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { auditRecord, CLOCK, type Clock } from '@holdfast/platform';
import { OperatorRequests } from '../webhooks/operator-requests.js';

type Settings = ReplyOf<typeof getTransmitter>;

const find = statement(
  'ssf_transmitter_find',
  'SELECT default_subjects AS "defaultSubjects" FROM ssf_transmitter WHERE org = $1',
);
const store = statement(
  'ssf_transmitter_store',
  `INSERT INTO ssf_transmitter (org, default_subjects) VALUES ($1, $2)
   ON CONFLICT (org) DO UPDATE SET default_subjects = excluded.default_subjects`,
);

/** What an organization decides about all of its streams. */
@Injectable()
export class Transmitter {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly operator: OperatorRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async settings(org: string, sql: Sql = this.database): Promise<Settings> {
    const [stored] = await sql.rows<Settings>(find, [org]);
    return stored ?? { defaultSubjects: 'ALL' };
  }

  /** Of streams that are created from now on. */
  async update(
    settings: Settings,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ settings: Settings; changed: boolean }> {
    const { org } = context;
    await this.operator.check(context);
    const { reply, record } = await this.database.transaction(async (sql) => {
      const before = await this.settings(org, sql);
      const changed = before.defaultSubjects !== settings.defaultSubjects;
      await sql.rows(store, [org, settings.defaultSubjects]);
      const written = auditRecord(context, this.clock.now(), {
        action: 'ssf_transmitter.update',
        targets: [],
        outcome: { result: 'success' },
        changes: { defaultSubjects: { from: before.defaultSubjects, to: settings.defaultSubjects } },
      });
      if (changed) await this.records.add(sql, org, written);
      const result = { settings, changed };
      await keyed?.store(sql, result, { event: written.id, version: 0 });
      return { reply: result, record: changed ? written : undefined };
    });
    if (record) await this.records.append(org, record);
    return reply;
  }
}
