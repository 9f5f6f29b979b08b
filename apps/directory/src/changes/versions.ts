import { statement, type Sql } from '@holdfast/data';

/** The version of each before the events. */
const bump = (name: string, table: string) =>
  statement(
    name,
    `UPDATE ${table} t SET version = t.version + e.events FROM unnest($1::uuid[], $2::int[]) AS e (id, events)
     WHERE t.id = e.id RETURNING t.id, t.version - e.events AS version`,
  );
const bumps = {
  person: bump('versions_bump_people', 'person'),
  group: bump('versions_bump_groups', 'person_group'),
};

/**
 * Assigns each row the next version of its person or group, for its event. The caller has locked these. Rows of one
 * that does not exist any more are left out.
 */
export async function withVersions<Row>(
  sql: Sql,
  kind: keyof typeof bumps,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): Promise<{ row: Row; version: number }[]> {
  if (rows.length === 0) return [];
  const byId = Map.groupBy(rows, idOf);
  const counts = [...byId.values()].map((own) => own.length);
  const before = await sql.rows<{ id: string; version: number }>(bumps[kind], [[...byId.keys()], counts]);
  return before.flatMap(({ id, version }) => byId.get(id)!.map((row, i) => ({ row, version: version + 1 + i })));
}
