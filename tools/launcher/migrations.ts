import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';

/** Of the libraries: what runs the migrations, and what it does beside them. */
const runners = ['migrate.js', 'no-statistics.js'];

/**
 * Whether all migrations of a build were applied to the schema of a service. The note that says so is a comment on the
 * schema: it is dropped, dumped and restored with it. It also covers the names in the table `migrations`, so that a
 * note beside restored older tables counts for nothing.
 */
export async function areApplied(client: pg.Client, service: ServiceName, build: string): Promise<boolean> {
  const { rows } = await client.query<{ note: string | null }>(
    `SELECT obj_description(oid, 'pg_namespace') AS note FROM pg_namespace WHERE nspname = $1`,
    [service],
  );
  const note = rows[0]?.note;
  return Boolean(note) && note === (await noteOf(client, service, build));
}

/** To be called once the migrations have succeeded: a run that failed or was killed leaves no note. */
export async function noteApplied(client: pg.Client, service: ServiceName, build: string): Promise<void> {
  const note = await noteOf(client, service, build);
  if (note !== undefined) await client.query(`COMMENT ON SCHEMA ${service} IS '${note}'`);
}

/** Undefined when the schema has no migrations. */
async function noteOf(client: pg.Client, service: ServiceName, build: string): Promise<string | undefined> {
  const { rows: tables } = await client.query<{ found: boolean }>(`SELECT to_regclass($1) IS NOT NULL AS found`, [
    `${service}.migrations`,
  ]);
  if (!tables[0]?.found) return undefined;
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${service}.migrations ORDER BY name`);
  const folder = join(build, 'apps', service, 'dist', 'migrations');
  const files = [
    ...readdirSync(folder)
      .filter((name) => name.endsWith('.js'))
      .sort()
      .map((name) => join(folder, name)),
    ...runners.map((name) => join(build, 'libs', 'data', 'dist', name)),
  ];
  const parts = [...rows.map(({ name }) => name), ...files.map((path) => readFileSync(path, 'utf8'))];
  return `migrations sha256:${hash('sha256', parts.join('\0'))}`;
}
