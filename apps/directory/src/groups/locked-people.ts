import { statement, type Sql } from '@holdfast/data';

/** The ids must be sorted: all transactions lock people in this order. The sub-select is executed once for each. */
const lock = statement(
  'people_lock',
  `SELECT p.id, p.version FROM unnest($2::uuid[]) AS wanted (id),
     LATERAL (SELECT id, version FROM person WHERE org = $1 AND id = wanted.id FOR NO KEY UPDATE) p`,
);

/** Locks people of the organization until the transaction ends. Resolves to the versions of those who exist. */
export async function lockPeople(sql: Sql, org: string, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.rows<{ id: string; version: number }>(lock, [org, [...new Set(ids)].sort()]);
  return new Map(rows.map(({ id, version }) => [id, version]));
}
