import { Inject, Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { AuditWriter } from '@holdfast/audit-client';
import type { AuditRecord } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { seal, unseal } from '@holdfast/platform';
import { CONFIG, Interval } from '@holdfast/service';
import type { Config } from '../config.js';

/** How long an answer waits for its record's place, in ms, as every other change does (libs/outbox/src/outbox.ts). */
const placedWithin = 1000;
const atOnce = 500;

const insert = statement('record_outbox_insert', 'INSERT INTO record_outbox (id, org, record) VALUES ($1, $2, $3)');
const remove = statement('record_outbox_remove', 'DELETE FROM record_outbox WHERE id = ANY ($1)');
/** What is younger is on its way by the hand that wrote it. */
const left = statement(
  'record_outbox_left',
  `SELECT id, org, record FROM record_outbox WHERE created_at < now() - interval '2 seconds' ORDER BY created_at, id LIMIT ${atOnce}`,
);
const count = statement(
  'record_outbox_count',
  `SELECT count(*)::int AS waiting FROM record_outbox WHERE created_at < now() - interval '2 seconds'`,
);

interface Row {
  id: string;
  org: string;
  record: Buffer;
}

const waitingRecords = new Gauge({
  name: 'holdfast_records_waiting',
  help: 'Audit records of changes in auth that audit has yet to get',
});

/**
 * Audit records of changes: each commits with its change and is appended to the log afterwards, until audit has it
 * (product §7: changes succeed while audit is away). Any replica appends any of them, twice if need be: to audit the
 * same id is the same record. Auth tells nobody else of its changes, so it needs no stream for them
 * (docs/adr/0003-outbox-and-relay.md).
 */
@Injectable()
export class RecordOutbox {
  private readonly logger = new Logger('record outbox');

  constructor(
    private readonly database: Database,
    private readonly audit: AuditWriter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** In the transaction of the change. */
  async add(sql: Sql, org: string, record: AuditRecord): Promise<void> {
    await sql.rows(insert, [
      record.id,
      org,
      seal(this.config.KEY_ENCRYPTION_KEY, JSON.stringify(record), contextOf(org, record.id)),
    ]);
  }

  /**
   * After the commit: holds the answer until the record has its place, one second at most. What fails stays for the
   * sweep.
   */
  async placed(org: string, record: AuditRecord): Promise<void> {
    try {
      await this.audit.append(org, record, { committed: true, within: placedWithin });
      await this.database.rows(remove, [[record.id]]);
    } catch (error) {
      this.logger.warn(
        `the record ${record.id} of ${org} (${record.action}) is committed and waits for audit: ${String(error)}`,
      );
    }
  }

  @Interval({
    name: 'record_outbox',
    intervalMs: 1000,
    failure: 'Failed to append audit records of committed changes. They stay in the table record_outbox',
  })
  async sweep(stopping: () => boolean): Promise<void> {
    const [{ waiting } = { waiting: 0 }] = await this.database.rows<{ waiting: number }>(count);
    waitingRecords.set(waiting);
    for (let found = waiting; found > 0 && !stopping(); found -= atOnce) await this.appendSome();
  }

  private async appendSome(): Promise<void> {
    const rows = await this.database.rows<Row>(left);
    const ends = await Promise.allSettled(rows.map((row) => this.append(row)));
    await this.database.rows(remove, [rows.filter((_, i) => ends[i]!.status === 'fulfilled').map(({ id }) => id)]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async append({ id, org, record }: Row): Promise<void> {
    const opened = unseal(this.config.KEY_ENCRYPTION_KEY, record, contextOf(org, id)).toString();
    await this.audit.append(org, JSON.parse(opened) as AuditRecord, { committed: true });
  }
}

function contextOf(org: string, id: string): string {
  return `record_outbox ${org} ${id}`;
}
