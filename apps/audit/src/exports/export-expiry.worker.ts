import { Inject, Injectable } from '@nestjs/common';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { deleteChunks } from '../append/erased-exports.js';
import { ExportEvents } from './export-events.js';
import { exportColumns, type ExportRow } from './export-row.js';

const batchSize = 20;
/** As long as reads are recorded. After that nobody can tell what became of a copy. */
const rowsKeptFor = '13 months';

const expire = statement(
  'exports_expire',
  `UPDATE export SET state = 'expired', reason = 'age', finished_at = $1, version = version + 1, stored_bytes = 0
   WHERE id IN (SELECT id FROM export e WHERE state = 'ready' AND expires_at <= $1 AND ${isNotFenced('e.org')}
                LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
   RETURNING ${exportColumns}`,
);
const announce = statement(
  'exports_announce',
  `UPDATE export SET announced = true
   WHERE id IN (SELECT id FROM export e WHERE NOT announced AND ${isNotFenced('e.org')}
                LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
   RETURNING ${exportColumns}`,
);
const forget = statement(
  'exports_forget_old',
  `DELETE FROM export e WHERE created_at < $1::timestamptz - interval '${rowsKeptFor}'
     AND state IN ('failed', 'canceled', 'expired') AND ${isNotFenced('e.org')}`,
);

/** Deletes the files of exports that have expired, and emits the events of those that an erasure has ended. */
@Injectable()
export class ExportExpiry {
  constructor(
    private readonly database: Database,
    private readonly events: ExportEvents,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'export_expiry',
    intervalMs: 60_000,
    runAtStart: true,
    requiresAgreedClock: true,
    failure: 'Failed to delete files of exports that have expired',
  })
  async expire(): Promise<void> {
    while ((await this.change(expire, [this.clock.now()])) === batchSize);
    await this.database.rows(forget, [this.clock.now()]);
  }

  @Interval({
    name: 'export_announcements',
    intervalMs: 1000,
    due: '(SELECT id FROM export WHERE NOT announced ORDER BY id LIMIT 1) IS NOT NULL',
    failure: 'Failed to emit events of exports that an erasure has ended. Their files are deleted already',
  })
  async announce(): Promise<void> {
    while ((await this.change(announce, [])) === batchSize);
  }

  private async change(change: typeof expire, values: unknown[]): Promise<number> {
    const at = this.clock.now();
    const { count, published } = await this.database.transaction(async (sql) => {
      const rows = await sql.rows<ExportRow>(change, values);
      if (rows.length > 0) await sql.rows(deleteChunks, [rows.map(({ id }) => id)]);
      const inserted = await this.events.insert(
        sql,
        rows.map((row) => ({
          type: row.state === 'failed' ? ('audit.export.failed' as const) : ('audit.export.expired' as const),
          ...{ row, context: { ...systemContext('audit'), org: row.org }, at },
          ...(row.state === 'expired' && { data: { cause: row.reason ?? 'age' } }),
        })),
      );
      return { count: rows.length, published: inserted };
    });
    await this.events.published(published);
    return count;
  }
}
