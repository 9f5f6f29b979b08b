import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { watermarksSchema } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { unavailable } from '@holdfast/platform';

/**
 * Part of every read's own statement: whether the model is behind a watermark of an organization. A command whose event
 * is late raises a watermark before it responds, so reads after the response find it
 * (docs/adr/0004-read-your-writes.md). Usually the table is empty.
 * @param org the SQL expression of the organization
 */
export const behind = (org: string): string =>
  `EXISTS (SELECT 1 FROM ${watermarksSchema}.subjects WHERE org = ${org}) AS behind`;

const deleteReached = statement(
  'watermarks_delete_reached',
  `DELETE FROM ${watermarksSchema}.subjects m USING subject s
   WHERE m.org = $1 AND s.key = m.aggregate AND (s.version >= m.version OR s.erased_at IS NOT NULL)`,
);

/**
 * How long a read that finds a watermark waits before each further attempt, in ms. An event is late by a second or two
 * while a server of NATS is replaced, and its command has waited for one of them. Together with the attempts it stays
 * below the second after which the caller asks another replica (`Bus.send` in @holdfast/messaging).
 */
const staleDelaysMs = [0, 50, 100, 200, 400];

@Injectable()
export class Freshness {
  constructor(private readonly database: Database) {}

  /**
   * Runs a read. While it finds a watermark, deletes the watermarks that the model has reached and reads again. If the
   * model is still stale after `staleDelaysMs`, the response is 503: never a false 404, a shorter list or an erased
   * customer (product §3).
   */
  async read<T extends { behind: boolean }>(org: string, query: () => Promise<T>): Promise<T> {
    let result = await query();
    for (const delayMs of staleDelaysMs) {
      if (!result.behind) return result;
      if (delayMs > 0) await setTimeout(delayMs);
      await this.database.rows(deleteReached, [org]);
      result = await query();
    }
    if (!result.behind) return result;
    throw unavailable("The organization's latest changes are not readable yet.", 1, {
      dependency: 'read model',
      cause: 'stale',
    });
  }
}
