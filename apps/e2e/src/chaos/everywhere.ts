import pg from 'pg';
import type { House } from '../house.ts';

/** Rows of whatever table, as text, that name one of these ids, as text or as bytes. */
export async function rowsThatName(house: House, ids: string[]): Promise<{ table: string; text: string }[]> {
  if (ids.length === 0) return [];
  const client = new pg.Client({ connectionString: house.launcher.databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const pattern = ids.flatMap((id) => [id, Buffer.from(id).toString('hex')]).join('|');
    const found: { table: string; text: string }[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t WHERE t::text ~ $1`, [pattern]);
      found.push(...rows.map(({ text }) => ({ table: name, text })));
    }
    return found;
  } finally {
    await client.end();
  }
}
