import { databaseUnavailableReason, statement, type Sql, type Statement } from '@holdfast/data';
import type { Clock, ClockReading } from '@holdfast/platform';

/**
 * Asks PostgreSQL which jobs have something to do, once for all jobs that ask in one turn of the event loop. Jobs that
 * looked by themselves made most of the statements of an idle service, each with a transaction and a lock
 * (docs/adr/0091-one-question-for-all-jobs.md). The answer contains PostgreSQL's time, for the clock of the service.
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
    this.statement = names.length > 0 ? question('jobs_due', names) : timeOnly;
    this.alone = new Map([...conditions.keys()].map((name, i) => [name, question(`job_due_${name}`, [names[i]!])]));
  }

  /** @throws when PostgreSQL does not say */
  async isDue(name: string): Promise<boolean> {
    const { due, failed } = await this.answers();
    if (failed?.has(name)) throw failed.get(name);
    return due.has(name);
  }

  /** PostgreSQL's time. @throws when PostgreSQL does not answer */
  async databaseTime(): Promise<ClockReading> {
    return (await this.answers()).time;
  }

  private answers(): Promise<Answers> {
    return (this.reading ??= this.read().finally(() => (this.reading = undefined)));
  }

  private async read(): Promise<Answers> {
    try {
      return await this.ask(this.statement);
    } catch (error) {
      if (databaseUnavailableReason(error) !== undefined) throw error;
      return this.askEach();
    }
  }

  /** A condition that fails, such as of a table that the service may not read, must not stop the jobs of the others. */
  private async askEach(): Promise<Answers> {
    const due = new Set<string>();
    const failed = new Map<string, unknown>();
    const { time } = await this.ask(timeOnly);
    for (const [name, alone] of this.alone)
      try {
        for (const found of (await this.ask(alone)).due) due.add(found);
      } catch (error) {
        failed.set(name, error);
      }
    return { due, failed, time };
  }

  private async ask(of: Statement): Promise<Answers> {
    const sentAtMs = performance.now();
    const [row] = await this.sql.rows<{ names: string[]; ms: number }>(of, [this.clock.now()]);
    return {
      due: new Set(row!.names),
      time: { remoteMs: row!.ms, sentAtMs, receivedAtMs: performance.now() },
    };
  }
}

/** The names of jobs that are due, and the errors of those that nobody knows it of. */
interface Answers {
  due: ReadonlySet<string>;
  failed?: ReadonlyMap<string, unknown>;
  time: ClockReading;
}

function question(name: string, due: readonly string[]): Statement {
  return statement(
    name,
    `SELECT ARRAY[${due.join(', ')}]::text[] AS names, $1::timestamptz AS at,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
  );
}

const timeOnly = question('read_clock', []);
