import type { Statement } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import type { Clock } from '@holdfast/platform';
import type { Change, Changes } from './changes.js';
import { withVersions } from './versions.js';

/** How many rows of people one transaction ends. */
export const dueBatchSize = 50;

/** Rows of people that end by themselves. */
export interface DueChanges<Row> {
  /**
   * Locks people who have due rows ($1: now), before these rows, as every other change does. A person whom another
   * change has locked is skipped until the next run.
   */
  lockPeople: Statement;
  /** Ends the due rows ($1: now) of the locked people ($2). */
  end: Statement;
  personOf: (row: Row) => string;
  changeOf: (row: Row, version: number) => Change;
}

/** Commits what is due in batches, each change with an event and a record of its own. */
export async function commitDue<Row extends object>(
  changes: Changes,
  clock: Clock,
  { lockPeople, end, personOf, changeOf }: DueChanges<Row>,
  stopping: () => boolean,
): Promise<void> {
  const batch = () =>
    changes.commitAll(async (sql) => {
      const now = clock.now();
      const locked = await sql.rows<{ id: string }>(lockPeople, [now]);
      if (locked.length === 0) return [];
      const ended = await sql.rows<Row>(end, [now, locked.map(({ id }) => id)]);
      const versioned = await withVersions(sql, 'person', ended, personOf);
      return versioned.map(({ row, version }) => ({
        context: systemContext('directory'),
        change: changeOf(row, version),
      }));
    });
  while (!stopping() && (await batch()) >= dueBatchSize);
}
