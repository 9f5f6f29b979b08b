import { databaseUnavailableReason, statement, type Sql, type Statement } from '@holdfast/data';
import type { Clock } from '@holdfast/platform';

/**
 * Asks PostgreSQL which jobs have something to do, once for all jobs that ask in one turn of the event loop. Jobs that
 * looked by themselves made most of the statements of an idle service, each with a transaction and a lock
 * (docs/adr/0091-one-question-for-all-jobs.md).
 */
export class DueChecks {
  private readonly statement: Statement;
  private readonly alone: ReadonlyMap<string, Statement>;
  private reading: Promise<Answers> | undefined;

  /** @param conditions by the names of jobs; see IntervalOptions.due */
  constructor(
    private readonly sql: Sql,
    private readonly clock: Pick<Clock, 'now'>,
    conditions: ReadonlyMap<string, string>,
  ) {
    const names = [...conditions].map(([name, due]) => `CASE WHEN ${due} THEN '${name}' END`);
    this.statement = question('jobs_due', names);
    this.alone = new Map([...conditions.keys()].map((name, i) => [name, question(`job_due_${name}`, [names[i]!])]));
  }

  /** @throws when PostgreSQL does not say */
  async isDue(name: string): Promise<boolean> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    const { due, failed } = await this.reading;
    if (failed?.has(name)) throw failed.get(name);
    return due.has(name);
  }

  private async read(): Promise<Answers> {
    try {
      return { due: await this.ask(this.statement) };
    } catch (error) {
      if (databaseUnavailableReason(error) !== undefined) throw error;
      return this.askEach();
    }
  }

  /** A condition that fails, such as of a table that the service may not read, must not stop the jobs of the others. */
  private async askEach(): Promise<Answers> {
    const due = new Set<string>();
    const failed = new Map<string, unknown>();
    for (const [name, alone] of this.alone)
      try {
        for (const found of await this.ask(alone)) due.add(found);
      } catch (error) {
        failed.set(name, error);
      }
    return { due, failed };
  }

  private async ask(of: Statement): Promise<Set<string>> {
    const [row] = await this.sql.rows<{ names: string[] }>(of, [this.clock.now()]);
    return new Set(row!.names);
  }
}

/** The names of jobs that are due, and the errors of those that nobody knows it of. */
interface Answers {
  due: ReadonlySet<string>;
  failed?: ReadonlyMap<string, unknown>;
}

function question(name: string, due: readonly string[]): Statement {
  return statement(name, `SELECT ARRAY[${due.join(', ')}] AS names, $1::timestamptz AS at`);
}
