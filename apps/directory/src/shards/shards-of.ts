import { statement, type Sql } from '@holdfast/data';

const select = statement('organization_shards', 'SELECT short_id, shard FROM organization WHERE short_id = ANY ($1)');

/** The shards of these organizations; those that do not exist are left out. */
export async function shardsOf(sql: Sql, shortIds: string[]): Promise<Map<string, string>> {
  const rows = await sql.rows<{ short_id: string; shard: string }>(select, [shortIds]);
  return new Map(rows.map(({ short_id, shard }) => [short_id, shard]));
}
