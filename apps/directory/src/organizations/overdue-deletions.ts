import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';

const overdueSeconds = new Gauge({
  name: 'holdfast_organization_deletion_overdue_seconds',
  help: 'For how long the oldest organization whose grace period has ended has waited for holdfast org purge; 0: none',
});

const firstDue = statement('organization_first_due', 'SELECT min(deletes_at) AS "deletesAt" FROM organization');

/** Nothing deletes an organization by itself: the operator is reminded. */
@Injectable()
export class OverdueDeletions {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'overdue_deletions',
    intervalMs: 60_000,
    runAtStart: true,
    failure: 'Failed to look for organizations that are to be deleted. Nobody is reminded of them meanwhile',
  })
  async look(): Promise<void> {
    const [row] = await this.database.rows<{ deletesAt: Date | null }>(firstDue, []);
    const overdueMs = row!.deletesAt === null ? 0 : this.clock.now().getTime() - row!.deletesAt.getTime();
    overdueSeconds.set(Math.max(0, overdueMs / 1000));
  }
}
