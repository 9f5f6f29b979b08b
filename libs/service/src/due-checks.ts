import { statement, type Sql, type Statement } from '@holdfast/data';
import type { Clock } from '@holdfast/platform';

/**
 * Asks PostgreSQL which jobs have something to do, once for all jobs that ask in one turn of the event loop. Jobs that
 * looked by themselves made most of the statements of an idle service, each with a transaction and a lock
 * (docs/adr/0091-one-question-for-all-jobs.md).
 */
export class DueChecks {
  private readonly statement: Statement;
  private reading: Promise<ReadonlySet<string>> | undefined;

  /** @param conditions by the names of jobs; see IntervalOptions.due */
  constructor(
    private readonly sql: Sql,
    private readonly clock: Pick<Clock, 'now'>,
    conditions: ReadonlyMap<string, string>,
  ) {
    const names = [...conditions].map(([name, due]) => `CASE WHEN ${due} THEN '${name}' END`);
    this.statement = statement('jobs_due', `SELECT ARRAY[${names.join(', ')}] AS names, $1::timestamptz AS at`);
  }

  /** @throws when PostgreSQL does not say */
  async isDue(name: string): Promise<boolean> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return (await this.reading).has(name);
  }

  private async read(): Promise<ReadonlySet<string>> {
    const [row] = await this.sql.rows<{ names: string[] }>(this.statement, [this.clock.now()]);
    return new Set(row!.names);
  }
}
