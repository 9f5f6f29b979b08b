import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { areApplied, noteApplied } from './migrations.ts';

const database = `launcher_migrations_${process.pid}`;
let admin: pg.Client;
let client: pg.Client;
let build: string;

async function connected(name: string): Promise<pg.Client> {
  const url = Object.assign(new URL(process.env.TEST_DATABASE_URL!), { pathname: `/${name}` });
  const opened = new pg.Client({ connectionString: url.href });
  await opened.connect();
  return opened;
}

/** A build whose service audit has these migrations. */
function buildWith(...migrations: string[]): string {
  const folder = mkdtempSync(join(process.env.TEST_TMP ?? '', 'build-'));
  const [audit, data] = [join(folder, 'apps/audit/dist/migrations'), join(folder, 'libs/data/dist')];
  for (const path of [audit, data]) mkdirSync(path, { recursive: true });
  for (const name of ['migrate.js', 'no-statistics.js']) writeFileSync(join(data, name), name);
  for (const name of migrations) writeFileSync(join(audit, `${name}.js`), `export class ${name} {}`);
  return folder;
}

beforeAll(async () => {
  admin = await connected('postgres');
  await admin.query(`CREATE DATABASE ${database}`);
  client = await connected(database);
});
afterAll(async () => {
  await client?.end();
  await admin?.query(`DROP DATABASE IF EXISTS ${database}`);
  await admin?.end();
});
beforeEach(async () => {
  build = buildWith('first');
  await client.query(
    `DROP SCHEMA IF EXISTS audit CASCADE; CREATE SCHEMA audit; CREATE TABLE audit.migrations (name text);
     INSERT INTO audit.migrations VALUES ('first')`,
  );
});

test('migrations count as applied once that was noted, for this build only', async () => {
  expect(await areApplied(client, 'audit', build)).toBe(false);
  await noteApplied(client, 'audit', build);
  expect(await areApplied(client, 'audit', build)).toBe(true);
  expect(await areApplied(client, 'audit', buildWith('first'))).toBe(true);
  expect(await areApplied(client, 'audit', buildWith('first', 'second'))).toBe(false);
});

test('after a restore of older tables, or of the whole schema, they run again', async () => {
  await client.query(`INSERT INTO audit.migrations VALUES ('second')`);
  await noteApplied(client, 'audit', build);
  await client.query(`DELETE FROM audit.migrations WHERE name = 'second'`);
  expect(await areApplied(client, 'audit', build)).toBe(false);
  await noteApplied(client, 'audit', build);
  await client.query('DROP SCHEMA audit CASCADE');
  expect(await areApplied(client, 'audit', build)).toBe(false);
  await client.query('CREATE SCHEMA audit');
  expect(await areApplied(client, 'audit', build)).toBe(false);
  await noteApplied(client, 'audit', build);
  expect(await areApplied(client, 'audit', build)).toBe(false);
});
