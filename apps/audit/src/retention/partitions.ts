import { Inject, Injectable } from '@nestjs/common';
import { Database, statement, type Sql } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval, WHOLE_DATABASE } from '@holdfast/service';
import { monthOf } from './months.js';

const makePartitions = statement('partitions_make', 'SELECT make_partitions($1)');

const intervalMs = 3_600_000;
/** This month and the next two, so that there is time to notice that creating partitions fails. */
const monthsAhead = 3;

/** Creates the partitions of each month before it begins. */
@Injectable()
export class Partitions {
  private readonly existing = new Set<number>();

  constructor(
    @Inject(WHOLE_DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Makes no query when this process has created or checked the partitions of this month before. */
  async ensureCurrentMonth(): Promise<void> {
    const month = monthOf(this.clock.now());
    if (!this.existing.has(month)) await this.create(month);
  }

  /** Creates those of earlier months, for delayed entries. To be called before the transaction writes them. */
  async ensure(sql: Sql, months: Iterable<number>): Promise<void> {
    // Not remembered: the transaction may roll back, and an operator may drop a month that has ended.
    for (const month of new Set(months)) if (!this.existing.has(month)) await sql.rows(makePartitions, [month]);
  }

  /** To be called when an entry had no partition: somebody dropped one that existed before. */
  clearExisting(): void {
    this.existing.clear();
  }

  @Interval({
    name: 'partitions',
    intervalMs,
    runAtStart: true,
    failure: 'Failed to create partitions for the coming months. Nothing can be appended after the last existing month',
  })
  async createAhead(): Promise<void> {
    const month = monthOf(this.clock.now());
    for (let next = month; next < month + monthsAhead; next += 1) await this.create(next);
  }

  private async create(month: number): Promise<void> {
    await this.database.rows(makePartitions, [month]);
    this.existing.add(month);
  }
}
