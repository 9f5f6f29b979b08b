import { Injectable } from '@nestjs/common';
import { watermarksSchema } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { unavailable } from '@holdfast/platform';

/**
 * Part of every read's own statement: is the model behind a mark of the organization `$1`? Marks are raised before a
 * late command is answered, so whoever saw the answer finds the mark (docs/adr/0004-read-your-writes.md). The table
 * is empty as long as all is well.
 */
export const behind = `EXISTS (SELECT 1 FROM ${watermarksSchema}.subjects WHERE org = $1) AS behind`;

const settle = statement(
  'marks_settle',
  `DELETE FROM ${watermarksSchema}.subjects m USING subject s
   WHERE m.org = $1 AND s.key = m.aggregate AND (s.version >= m.version OR s.erased_at IS NOT NULL)`,
);

@Injectable()
export class Freshness {
  constructor(private readonly database: Database) {}

  /**
   * Runs a read. When it finds a mark, takes down the marks that the model has reached meanwhile and reads once more;
   * still behind is 503: never a false 404, a shorter list or an erased customer (product §3).
   */
  async read<T extends { behind: boolean }>(org: string, query: () => Promise<T>): Promise<T> {
    const first = await query();
    if (!first.behind) return first;
    await this.database.rows(settle, [org]);
    const second = await query();
    if (!second.behind) return second;
    throw unavailable("The organization's latest changes are not readable yet.", 1, {
      dependency: 'read model',
      cause: 'stale',
    });
  }
}
