// The commands of the database's owner when each service has a database of its own.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { databaseServices, type ServiceName } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { alteringRoles, createTestDatabase, newTestFolder, type TestDatabase } from '@holdfast/testing';

const run = promisify(execFile);
const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const ledger = join(newTestFolder('own-databases'), 'erased.csv');
const databases = new Map<ServiceName, TestDatabase>();
const of = (service: ServiceName): TestDatabase => databases.get(service)!;

const environment = (services: readonly ServiceName[] = databaseServices): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...Object.fromEntries(services.map((service) => [`DATABASE_URL_${service.toUpperCase()}`, of(service).ownerUrl])),
  ...Object.fromEntries(databaseServices.map((service) => [`DB_PASSWORD_${service.toUpperCase()}`, 'ephemeral'])),
  DB_CONNECTIONS: '150',
});

async function cli<Printed>(args: string[], env = environment()): Promise<Printed> {
  const { stdout } = await run(process.execPath, [at('apps/cli/dist/main.js'), ...args, '--json'], { env });
  return JSON.parse(stdout) as Printed;
}

beforeAll(async () => {
  for (const service of databaseServices)
    databases.set(service, await createTestDatabase(service, async () => undefined, { isEmpty: true }));
  await alteringRoles(() => cli(['database', 'setup']));
  const migrate = (service: ServiceName) =>
    run(process.execPath, [at(`apps/${service}/dist/migrate.js`)], {
      env: { PATH: process.env.PATH, DATABASE_URL: of(service).ownerUrl },
    });
  await Promise.all(databaseServices.map(migrate));
});
afterAll(() => Promise.all([...databases.values()].map((database) => database.drop())));

async function sqlState(url: string, sql: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(sql);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.end();
  }
}

test('setup creates one schema in each database, and may be repeated', async () => {
  await alteringRoles(async () =>
    expect(await cli(['database', 'setup'])).toMatchObject({ databases: databaseServices.length }),
  );
  for (const service of databaseServices)
    expect(
      await of(service).query(
        `SELECT nspname AS schema FROM pg_namespace WHERE nspname = ANY ($1) OR nspname = 'watermarks' ORDER BY 1`,
        [databaseServices],
      ),
    ).toEqual([service, 'watermarks'].sort().map((schema) => ({ schema })));
});

test('the role of issuance may raise watermarks in the database of subjects, and do nothing else there', async () => {
  const url = of('subjects').url('issuance');
  const raise = `INSERT INTO watermarks.subjects AS w (org, aggregate, version) VALUES ('acme', 'x', 1)
    ON CONFLICT (org, aggregate) DO UPDATE SET version = greatest(w.version, excluded.version)`;
  expect(await sqlState(url, raise)).toBeUndefined();
  for (const sql of [
    'DELETE FROM watermarks.subjects',
    'SELECT FROM subjects.subject',
    'SELECT FROM subjects.migrations',
    'CREATE TABLE watermarks.mine (id int)',
    'CREATE SCHEMA mine',
    'CREATE TEMP TABLE mine (id int)',
    'SELECT pg_advisory_lock(1)',
  ])
    expect([sql, await sqlState(url, sql)]).toEqual([sql, '42501']);
  // The other services have no rights there at all.
  for (const service of ['auth', 'audit', 'directory', 'signals'] as const)
    expect(await sqlState(of('subjects').url(service), 'SELECT FROM watermarks.subjects')).toBe('42501');
  await of('subjects').query('DELETE FROM watermarks.subjects');
});

test('a restore erases in every database whom the backup has brought back, or changes nothing', async () => {
  const customer = randomUUID();
  const key = customerKey('acme', customer);
  await of('issuance').query(
    `INSERT INTO issuance.subject (id, org, app, version, created_at) VALUES ($1, 'acme', 'a', 1, clock_timestamp())`,
    [customer],
  );
  await of('subjects').query(
    `INSERT INTO subjects.subject (key, version, org, app, subject, created_at, claimed, state)
     VALUES ($1, 1, 'acme', 'a', $2, now(), false, '{}')`,
    [key, customer],
  );
  await of('issuance').query('INSERT INTO issuance.erased (hash) VALUES ($1)', [key]);
  expect(await cli(['backup', 'erasure-ledger', ledger])).toEqual({ lines: 1 });
  expect(readFileSync(ledger, 'utf8')).toContain(key.toString('hex'));
  await of('issuance').query('DELETE FROM issuance.erased');

  const customers = () => of('issuance').query('SELECT id FROM issuance.subject');
  const connected = new URL(of('signals').ownerUrl);
  connected.searchParams.set('application_name', 'holdfast signals');
  const service = new pg.Client({ connectionString: connected.href });
  await service.connect();
  await expect(cli(['restore', '--ledger', ledger])).rejects.toMatchObject({
    stderr: expect.stringContaining('holdfast signals'),
  });
  await service.end();
  expect(await customers()).toEqual([{ id: customer }]);

  expect(await cli(['restore', '--ledger', ledger])).toMatchObject({ erasedAgain: 1, alreadyErased: 0 });
  expect(await customers()).toEqual([]);
  expect(await of('subjects').query('SELECT state, erased_at IS NOT NULL AS erased FROM subjects.subject')).toEqual([
    { state: null, erased: true },
  ]);
  expect(await of('audit').query('SELECT key FROM audit.erased')).toEqual([{ key }]);
  expect(await of('auth').query('SELECT key FROM auth.session_revocation')).toEqual([{ key }]);
});

test('rewrite rewrites the tables of every database when somebody was erased in one', async () => {
  const rewritten = await cli<{ table: string }[]>(['database', 'rewrite', '--if-erased']);
  const schemas = new Set(rewritten.map(({ table }) => table.split('.')[0]));
  expect([...schemas].sort()).toEqual([...databaseServices, 'watermarks'].sort());
});

test('a command names the services whose address is missing', async () => {
  await expect(cli(['database', 'setup'], environment(['audit', 'subjects']))).rejects.toMatchObject({
    stderr: expect.stringContaining('There is no address for auth, issuance, directory, signals'),
  });
});
