import { Inject, Injectable } from '@nestjs/common';
import { tryLock, type Sql } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { Changes } from '../changes/changes.js';
import type { Batch } from './batch.js';
import { endSomeOf, nextDeletedApp } from './deleted-app.js';
import { endSomeMemberships, nextDeletedGroup } from './deleted-group.js';

/**
 * Ends what deleted apps and groups leave: assignments, pending access requests and memberships, each with its event.
 * Nobody can use them any more from the deletion on. Each batch commits with its events or not at all, so that none is
 * lost or repeated, whenever the process ends. One replica does it at a time: two would lock the same people.
 */
@Injectable()
export class FinishDeletions {
  constructor(
    private readonly changes: Changes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'deletions',
    intervalMs: 1000,
    due: `coalesce((SELECT min(deleted_at) FROM app WHERE ending),
      (SELECT min(deleted_at) FROM person_group WHERE deleted_at IS NOT NULL)) IS NOT NULL`,
    failure: 'Failed to end what deleted apps and groups have left. Nobody can use it, but its events are missing',
  })
  async run(stopping: () => boolean): Promise<void> {
    while (!stopping() && (await this.changes.commitAll((sql) => this.batch(sql))) > 0);
  }

  private async batch(sql: Sql): Promise<Batch> {
    if (!(await tryLock(sql, 'deletions'))) return [];
    for (let app = await nextDeletedApp(sql); app; app = await nextDeletedApp(sql)) {
      const batch = await endSomeOf(sql, app, this.clock.now());
      if (batch) return batch;
    }
    for (let group = await nextDeletedGroup(sql); group; group = await nextDeletedGroup(sql)) {
      const batch = await endSomeMemberships(sql, group);
      if (batch) return batch;
    }
    return [];
  }
}
