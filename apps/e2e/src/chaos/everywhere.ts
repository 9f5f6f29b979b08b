import pg from 'pg';
import type { House } from '../house.ts';

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Rows of whatever table, as text, that name one of these ids (UUIDs), as text or as bytes. */
export async function rowsThatName(house: Pick<House, 'launcher'>, ids: string[]): Promise<{ table: string; text: string }[]> {
  const wanted = new Set(ids);
  const client = new pg.Client({ connectionString: house.launcher.databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const found: { table: string; text: string }[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ONLY ${name} t`);
      found.push(...rows.filter(({ text }) => readable(text).match(uuid)?.some((id) => wanted.has(id))).map(({ text }) => ({ table: name, text })));
    }
    return found;
  } finally {
    await client.end();
  }
}

/** With bytes (`\x…`) spelled out. */
function readable(text: string): string {
  return text.replace(/\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1'));
}
