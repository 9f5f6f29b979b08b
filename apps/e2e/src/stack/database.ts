import pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';
import type { Stack } from './stack.ts';

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

interface Row {
  table: string;
  text: string;
}

/** Rows of all tables that contain one of these UUIDs, as text or as bytes. */
export async function rowsNaming(stack: Pick<Stack, 'launcher'>, ids: string[]): Promise<Row[]> {
  const searched = new Set(ids);
  return (await rowsOfAllTables(stack)).filter(({ text }) =>
    withBytesAsText(text)
      .match(uuid)
      ?.some((id) => searched.has(id)),
  );
}

/** All rows of the databases as text, with bytes in hexadecimal, as pg_dump would write them. */
export async function rowsOfAllTables(stack: Pick<Stack, 'launcher'>): Promise<Row[]> {
  const { databaseUrl, databaseUrls = { all: databaseUrl } } = stack.launcher;
  const all: Row[] = [];
  for (const url of Object.values(databaseUrls))
    await connected(url, async (client) => {
      const tables = await client.query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      );
      for (const { name } of tables.rows) {
        const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ONLY ${name} t`);
        for (const { text } of rows) all.push({ table: name, text });
      }
    });
  return all;
}

/** The files of all tables, their TOAST tables and indexes, and the planner's statistics, as they are on the disk. */
export function filesOfAllRelations(stack: Pick<Stack, 'launcher'>): Promise<{ name: string; bytes: Buffer }[]> {
  return asOwner(stack, async (client) => {
    await client.query('CHECKPOINT');
    const { rows } = await client.query<{ name: string; bytes: Buffer }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name, pg_read_binary_file(pg_relation_filepath(c.oid)) AS bytes
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'i', 't') AND pg_relation_size(c.oid) > 0
         AND (n.nspname NOT IN ('pg_catalog', 'information_schema') OR c.relname LIKE 'pg_statistic%')`,
    );
    return rows;
  });
}

/** Runs one statement as the owner of the database. */
export function query<T extends pg.QueryResultRow>(
  stack: Pick<Stack, 'launcher'>,
  sql: string,
  values: unknown[] = [],
): Promise<T[]> {
  return asOwner(stack, async (client) => (await client.query<T>(sql, values)).rows);
}

/** Connects as the owner of the database, or of that of a service in a stack with a database for each. */
export function asOwner<T>(
  { launcher }: Pick<Stack, 'launcher'>,
  work: (client: pg.Client) => Promise<T>,
  service?: ServiceName,
): Promise<T> {
  return connected((service && launcher.databaseUrls?.[service]) ?? launcher.databaseUrl, work);
}

async function connected<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function withBytesAsText(text: string): string {
  return text.replace(/\\x([0-9a-f]+)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1'));
}
