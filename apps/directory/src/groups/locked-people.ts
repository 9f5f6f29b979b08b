import { statement, type Sql } from '@holdfast/data';

/** The ids must be sorted: all transactions lock people in this order. The sub-select is executed once for each. */
const lock = statement(
  'people_lock',
  `SELECT p.id, p.version FROM unnest($2::uuid[]) AS wanted (id),
     LATERAL (SELECT id, version FROM person WHERE org = $1 AND id = wanted.id FOR NO KEY UPDATE) p`,
);

/** Sorted too. Groups are locked after people. */
const lockGroup = statement(
  'groups_lock',
  `SELECT g.id FROM unnest($2::uuid[]) AS wanted (id),
     LATERAL (SELECT id FROM person_group WHERE org = $1 AND id = wanted.id FOR NO KEY UPDATE) g`,
);

/** Locks people of the organization until the transaction ends. Resolves to the versions of those who exist. */
export async function lockPeople(sql: Sql, org: string, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.rows<{ id: string; version: number }>(lock, [org, [...new Set(ids)].sort()]);
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** Locks groups of the organization until the transaction ends. The caller has locked the people. */
export async function lockGroups(sql: Sql, org: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql.rows(lockGroup, [org, [...new Set(ids)].sort()]);
}
