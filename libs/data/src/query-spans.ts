import type { DataSource, ReplicationMode } from 'typeorm';
import { inSpan, SpanKind, type SpanDescription } from '@holdfast/platform';

/** Names of statements by their text, for those that run through an entity manager. */
const names = new Map<string, string>();

export function nameStatement(text: string, name: string): void {
  names.set(text, name);
}

/** The span of a statement. It has the name only, never values. */
export function spanOf(summary: string): SpanDescription {
  return {
    name: summary,
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summary },
  };
}

/** A span for each statement that TypeORM generates. */
export function traceQueryRunners(orm: DataSource): void {
  const { driver } = orm;
  const create = driver.createQueryRunner.bind(driver);
  driver.createQueryRunner = (mode: ReplicationMode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    runner.query = ((text: string, ...rest: unknown[]) =>
      inSpan(
        () => spanOf(summaryOf(text)),
        () => query(text, ...rest),
      )) as typeof runner.query;
    return runner;
  };
}

/** The name of the statement, or its operation and first table, whose names are those of the code. */
export function summaryOf(text: string): string {
  const name = names.get(text);
  if (name !== undefined) return name;
  const operation = /^\s*([A-Za-z]+)/.exec(text)?.[1]?.toUpperCase() ?? 'QUERY';
  const table = /\b(?:FROM|INTO|UPDATE)\s+("?[a-z_]+"?(?:\."?[a-z_]+"?)?)/i
    .exec(text.replace(/'[^']*'/g, "''"))?.[1]
    ?.replaceAll('"', '');
  return table === undefined ? operation : `${operation} ${table}`;
}
