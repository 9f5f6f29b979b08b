import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseRole, databaseServices, migrationLock, watermarksSchema } from '@holdfast/contracts';
import { databaseSetup, watermarkWriters } from '@holdfast/platform-policy';
import { createTestDatabase, type TestDatabase } from '@holdfast/testing';
import { Database, statement } from './database.js';

describe('the database role', () => {
  let tables: TestDatabase;
  beforeAll(async () => {
    tables = await createTestDatabase('audit', () => Promise.resolve());
    for (const schema of databaseServices) await tables.query(`CREATE TABLE ${schema}.secret (id int)`);
    await tables.query('CREATE TABLE public.secret (id int)');
  });
  afterAll(() => tables.drop());

  it.each(databaseServices)('%s can access rows of its own schema only, and change no table', async (service) => {
    const database = await Database.connect({ url: tables.url(service), pool: 1, applicationName: 'test' });
    const run = (sql: string) => database.rows(statement('', sql));
    await run(`INSERT INTO secret VALUES (1)`);
    expect(await run(`SELECT * FROM ${service}.secret`)).toEqual([{ id: 1 }]);

    const others = [...databaseServices.filter((s) => s !== service), 'public'];
    const forbidden = others.flatMap((s) => [`SELECT * FROM ${s}.secret`, `INSERT INTO ${s}.secret VALUES (1)`]);
    const own = [
      'CREATE TABLE mine (id int)',
      `DROP TABLE ${service}.secret`,
      `TRUNCATE ${service}.secret`,
      'CREATE SCHEMA mine',
      'CREATE ROLE mine',
    ];
    const watermarks = watermarkWriters()
      .filter(({ readModel, writers }) => readModel !== service && !writers.includes(service))
      .map(({ readModel }) => `SELECT * FROM ${watermarksSchema}.${readModel}`);
    for (const sql of [...forbidden, ...own, ...watermarks])
      await expect(run(sql)).rejects.toThrow(/permission denied|must be owner/);
    await database.close();
  });

  it.each(databaseServices)('%s can neither fill the disk nor block another service', async (service) => {
    const database = await Database.connect({ url: tables.url(service), pool: 1, applicationName: 'test' });
    const run = (sql: string) => database.rows(statement('', sql));
    const forbidden = [
      'CREATE TEMP TABLE mine (id int)',
      'SELECT lo_create(0)',
      `SELECT lo_from_bytea(0, 'mine')`,
      'SELECT pg_advisory_lock(1)',
      'SELECT pg_advisory_xact_lock(1, 2)',
      'SELECT pg_try_advisory_lock(1)',
      `SELECT pg_logical_emit_message(false, 'mine', 'text')`,
      'SET temp_file_limit = -1',
      `ALTER ROLE ${databaseRole(service)} CONNECTION LIMIT -1`,
      `DO $$ BEGIN LOCK TABLE ${migrationLock(service)} IN ACCESS SHARE MODE; END $$`,
      ...databaseServices.filter((s) => s !== service).map((s) => `DO $$ BEGIN LOCK TABLE ${s}.secret; END $$`),
    ];
    for (const sql of forbidden) await expect(run(sql)).rejects.toThrow(/permission denied/);
    await database.close();
  });

  it('has a limit of connections', async () => {
    const limited = databaseSetup({
      passwords: Object.fromEntries(databaseServices.map((s) => [s, 'x'])),
      connectionLimit: 7,
    });
    expect(limited.filter((sql) => sql.endsWith('CONNECTION LIMIT 7'))).toHaveLength(databaseServices.length);
    const roles = await tables.query<{ rolconnlimit: number }>(
      `SELECT rolconnlimit FROM pg_roles WHERE rolname LIKE 'holdfast%'`,
    );
    expect(roles.map((r) => r.rolconnlimit)).toEqual(databaseServices.map(() => expect.any(Number)));
    expect(Math.min(...roles.map((r) => r.rolconnlimit))).toBeGreaterThan(0);
  });
});
