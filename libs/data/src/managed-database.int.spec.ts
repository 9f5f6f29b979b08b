import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseRole, databaseServices } from '@holdfast/contracts';
import { databaseSetup } from '@holdfast/platform-policy';
import { createTestDatabase, type TestDatabase } from '@holdfast/testing';

/** Roles belong to the whole server, which other tests use, so these have names of their own. */
const prefix = `managed_${randomBytes(4).toString('hex')}`;
const password = 'ephemeral';
const roles = databaseServices.map((service) => databaseRole(service));
const renamed = (sql: string) => roles.reduce((text, role) => text.replaceAll(role, `${prefix}_${role}`), sql);

let server: TestDatabase;

/** The owner of a managed database: it may create roles, and is no superuser. */
beforeAll(async () => {
  server = await createTestDatabase('audit', () => Promise.resolve());
  await server.query(`CREATE ROLE ${prefix} LOGIN CREATEROLE PASSWORD '${password}'`);
  await server.query(`CREATE DATABASE ${prefix} OWNER ${prefix}`);
});
afterAll(async () => {
  await server.query(`DROP DATABASE ${prefix} WITH (FORCE)`);
  for (const role of roles) await server.query(`DROP ROLE IF EXISTS ${prefix}_${role}`);
  await server.query(`DROP ROLE ${prefix}`);
  await server.drop();
});

async function as<T>(role: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(server.ownerUrl);
  [url.username, url.password, url.pathname] = [role, password, `/${prefix}`];
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

it('is set up, twice, by an owner who is no superuser, and gives each role its own schema only', async () => {
  const statements = databaseSetup({ passwords: Object.fromEntries(databaseServices.map((s) => [s, password])) });
  for (let i = 0; i < 2; i += 1)
    await as(prefix, async (client) => {
      for (const sql of statements) await client.query(renamed(sql));
      await client.query('CREATE TABLE IF NOT EXISTS subjects.rows (id int)');
    });
  await as(`${prefix}_${databaseRole('subjects')}`, async (client) => {
    expect((await client.query('SELECT * FROM subjects.rows')).rows).toEqual([]);
  });
  await as(`${prefix}_${databaseRole('signals')}`, async (client) => {
    await expect(client.query('SELECT * FROM subjects.rows')).rejects.toThrow('permission denied');
  });
});

it('loses attributes that somebody gave to a role, when it is set up by a superuser', async () => {
  const role = `${prefix}_${databaseRole('signals')}`;
  await server.query(`ALTER ROLE ${role} SUPERUSER CREATEROLE`);
  const statements = databaseSetup({ passwords: Object.fromEntries(databaseServices.map((s) => [s, password])) });
  for (const sql of statements.filter((text) => text.includes('NOSUPERUSER'))) await server.query(renamed(sql));
  const [found] = await server.query(`SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = '${role}'`);
  expect(found).toEqual({ rolsuper: false, rolcreaterole: false });
});
