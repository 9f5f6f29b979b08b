import type pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';
import { CommandError } from '../command-error.js';
import { organizationTables, type MergedTable } from './organization-tables.js';

const batchSize = 2000;
/** Tables with rows of up to half a megabyte. */
const batchSizes: Readonly<Record<string, number>> = { 'audit.export_chunk': 20 };

/** Number and hash of the rows of each table. */
export type Digests = Record<string, string>;

/**
 * Rows travel as the text of their composite type, which PostgreSQL reads back to the same bytes. The hash is the sum
 * of those of the rows, so that it depends on no order and needs no memory.
 */
const digest = (table: string, where: string) => `
  SELECT count(*) || ' ' || coalesce(sum(('x' || left(hash, 16))::bit(64)::bigint::numeric), 0)
    || ' ' || coalesce(sum(('x' || substr(hash, 17, 16))::bit(64)::bigint::numeric), 0) AS digest
  FROM (SELECT encode(sha256(convert_to(t::text, 'UTF8')), 'hex') AS hash FROM ${table} t WHERE ${where}) h`;

export async function digestsOf(client: pg.ClientBase, service: ServiceName, org: string): Promise<Digests> {
  const { moved } = await organizationTables(client, service);
  const digests: Digests = {};
  for (const { name, where } of moved) {
    const { rows } = await client.query<{ digest: string }>(digest(name, where), [org]);
    digests[name] = rows[0]!.digest;
  }
  return digests;
}

export function rowsIn(digests: Digests): number {
  return Object.values(digests).reduce((sum, text) => sum + Number(text.split(' ')[0]), 0);
}

/** @throws CommandError that names the tables which differ */
export function requireEqual(source: Digests, target: Digests): void {
  const different = Object.keys(source).filter((name) => source[name] !== target[name]);
  if (different.length === 0) return;
  const list = different.map((name) => `${name} (number and hashes ${source[name]}; ${target[name]})`);
  throw new CommandError(`The copy differs from the source in ${list.join(', ')}. It was not used.`);
}

/** Copies all rows of the organization. Both connections are in a transaction, that of the source with one snapshot. */
export async function copyRows(
  source: pg.ClientBase,
  target: pg.ClientBase,
  service: ServiceName,
  org: string,
): Promise<void> {
  const { moved, merged } = await organizationTables(source, service);
  for (const { name, where } of moved)
    for await (const batch of eachBatch(source, name, where, [org])) await insertRows(target, name, batch);
  for (const table of merged)
    for await (const batch of eachBatch(source, table.name, table.where, [])) await merge(target, table, batch);
}

async function merge(target: pg.ClientBase, { name, key, onConflict }: MergedTable, batch: string[]): Promise<void> {
  await target.query(
    `INSERT INTO ${name} AS t SELECT r.* FROM unnest($1::${name}[]) r ON CONFLICT (${key.join(', ')}) ${onConflict}`,
    [batch],
  );
  const { rows } = await target.query<{ found: number }>(
    `SELECT count(*)::int AS found FROM unnest($1::${name}[]) r JOIN ${name} t USING (${key.join(', ')})`,
    [batch],
  );
  if (rows[0]!.found !== batch.length) throw new CommandError(`Rows of ${name} are missing in the copy.`);
}

/** The rows of a table, as the text of their composite type. */
export async function* eachBatch(
  source: pg.ClientBase,
  table: string,
  where: string,
  values: string[],
): AsyncGenerator<string[]> {
  await source.query(`DECLARE moved NO SCROLL CURSOR FOR SELECT t::text AS row FROM ${table} t WHERE ${where}`, values);
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`FETCH ${batchSizes[table] ?? batchSize} FROM moved`);
    if (rows.length === 0) break;
    yield rows.map(({ row }) => row);
  }
  await source.query('CLOSE moved');
}

export async function insertRows(target: pg.ClientBase, table: string, rows: string[]): Promise<void> {
  await target.query(`INSERT INTO ${table} SELECT r.* FROM unnest($1::${table}[]) r`, [rows]);
}

/** Deletes all rows of the organization, the log too, in one transaction. @returns their number */
export async function deleteRows(client: pg.ClientBase, service: ServiceName, org: string): Promise<number> {
  return inTransaction(client, () => deleteRowsWithin(client, service, org));
}

/** `deleteRows` within a transaction that has begun. */
export async function deleteRowsWithin(client: pg.ClientBase, service: ServiceName, org: string): Promise<number> {
  const { moved } = await organizationTables(client, service);
  let deleted = 0;
  await client.query("SET LOCAL holdfast.removes_moved_organization = 'on'");
  for (const { name, where } of moved.toReversed())
    deleted += (await client.query(`DELETE FROM ${name} t WHERE ${where}`, [org])).rowCount ?? 0;
  return deleted;
}

export async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/** The months in which the log has entries. */
export async function logMonths(audit: pg.ClientBase, org: string): Promise<number[]> {
  const { rows } = await audit.query<{ month: number }>(
    'SELECT DISTINCT month FROM audit.entry WHERE org = $1 ORDER BY month',
    [org],
  );
  return rows.map(({ month }) => month);
}

/** A database may have partitions for fewer months than the log. */
export async function createLogPartitions(audit: pg.ClientBase, months: readonly number[]): Promise<void> {
  for (const month of months) await audit.query('SELECT audit.make_partitions($1)', [month]);
}
