import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { repeat, Shutdown } from '@holdfast/service';
import { monthOf } from '../append/log-head.js';

const make = statement('partitions_make', 'SELECT make_partitions($1)');

const every = 3_600_000;
/** Months for which there is room beforehand, this one included: time enough to notice that making them fails. */
const ahead = 3;

/** Room for the entries of each month, made before it begins. */
@Injectable()
export class Partitions implements OnApplicationBootstrap {
  private readonly logger = new Logger('partitions');
  private readonly there = new Set<number>();

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    const failed = (error: unknown) =>
      this.logger.warn(
        `partitions for the coming months could not be made; the log is full at the end of the last one that is there: ${String(error)}`,
      );
    void this.prepare().catch(failed);
    repeat(this.shutdown, { every, work: () => this.prepare(), failed });
  }

  /** Returns at once when there is room for this month. */
  async ready(): Promise<void> {
    const month = monthOf(this.clock.now());
    if (!this.there.has(month)) await this.make(month);
  }

  /** After an entry found no room: somebody has dropped what we took for granted. */
  forget(): void {
    this.there.clear();
  }

  private async prepare(): Promise<void> {
    const month = monthOf(this.clock.now());
    for (let next = month; next < month + ahead; next += 1) await this.make(next);
  }

  private async make(month: number): Promise<void> {
    await this.database.rows(make, [month]);
    this.there.add(month);
  }
}
