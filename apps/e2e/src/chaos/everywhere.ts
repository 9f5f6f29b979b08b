import pg from 'pg';
import type { House } from '../house.ts';

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

interface Row {
  table: string;
  text: string;
}

/** Rows of whatever table, as text, that name one of these ids (UUIDs), as text or as bytes. */
export async function rowsThatName(house: Pick<House, 'launcher'>, ids: string[]): Promise<Row[]> {
  const wanted = new Set(ids);
  return (await rowsOfAllTables(house)).filter(({ text }) => readable(text).match(uuid)?.some((id) => wanted.has(id)));
}

/** All that stands in the database, with bytes in hexadecimal: what pg_dump would write. */
export async function rowsOfAllTables(house: Pick<House, 'launcher'>): Promise<Row[]> {
  const client = new pg.Client({ connectionString: house.launcher.databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const all: Row[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ONLY ${name} t`);
      for (const { text } of rows) all.push({ table: name, text });
    }
    return all;
  } finally {
    await client.end();
  }
}

/** With bytes (`\x…`) spelled out. */
function readable(text: string): string {
  return text.replace(/\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1'));
}
