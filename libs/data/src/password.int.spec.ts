import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, newTestFolder, type TestDatabase } from '@holdfast/testing';
import { Database, statement } from './database.js';
import { databaseUnavailableReason, isDatabaseUnavailable } from './pg-errors.js';

/** Roles belong to the whole server, so this test has one of its own. */
const role = `rotated_${randomBytes(6).toString('hex')}`;
const who = statement('who', 'SELECT current_user AS name');
const passwordFile = join(newTestFolder('password'), 'password');
let tables: TestDatabase;

beforeAll(async () => {
  tables = await createTestDatabase('audit', () => Promise.resolve());
});
afterAll(async () => {
  await tables.query(`DROP ROLE ${role}`);
  await tables.drop();
});

it('uses a rotated password from its file for new connections, and is unavailable until the file has it', async () => {
  await tables.query(`CREATE ROLE ${role} LOGIN PASSWORD 'first %2F@:'`);
  writeFileSync(passwordFile, 'first %2F@:\n');
  const url = new URL(tables.ownerUrl);
  url.username = role;
  url.password = 'unknown';
  const database = await Database.connect({ url: url.href, passwordFile, pool: 2, applicationName: 'test' });
  expect(await database.rows(who)).toEqual([{ name: role }]);

  await tables.query(`ALTER ROLE ${role} PASSWORD 'second'`);
  await tables.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1', [role]);
  const failed = async () => {
    for (;;) {
      // The first attempts use the terminated connections.
      const error = await database.rows(who).then(
        () => undefined,
        (e: unknown) => e,
      );
      if ((error as { code?: string } | undefined)?.code?.startsWith('28')) return error;
      expect(isDatabaseUnavailable(error)).toBe(true);
    }
  };
  const error = await failed();
  expect([isDatabaseUnavailable(error), databaseUnavailableReason(error)]).toEqual([
    true,
    "the database refuses this service's role or its password",
  ]);
  writeFileSync(passwordFile, 'second');
  expect(await database.rows(who)).toEqual([{ name: role }]);
  await database.close();
});

it('uses the previous password of the file until PostgreSQL has the new one', async () => {
  await tables.query(`ALTER ROLE ${role} PASSWORD 'third'`);
  const terminate = () =>
    tables.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1', [role]);
  const url = new URL(tables.ownerUrl);
  url.username = role;
  writeFileSync(passwordFile, 'third');
  const options = { url: url.href, passwordFile, pool: 2, applicationName: 'test' };
  const database = await Database.connect(options);
  writeFileSync(`${passwordFile}_PREVIOUS`, 'third');
  writeFileSync(passwordFile, 'fourth');
  const started = await Database.connect(options);
  // A further connection, while the first is busy.
  await Promise.all([database, started].map((one) => one.transaction(async () => one.rows(who))));
  await tables.query(`ALTER ROLE ${role} PASSWORD 'fourth'`);
  await Promise.all(
    [database, started].map((one) => one.transaction(async () => expect(await one.rows(who)).toHaveLength(1))),
  );
  rmSync(`${passwordFile}_PREVIOUS`);
  await terminate();
  for (const one of [database, started]) {
    // The pool notices the terminated connections.
    await one.rows(who).catch(() => undefined);
    await one.rows(who).catch(() => undefined);
    expect(await one.rows(who)).toEqual([{ name: role }]);
    await one.close();
  }
});

it('opens many connections at once while PostgreSQL refuses the current or the previous password', async () => {
  const url = new URL(tables.ownerUrl);
  url.username = role;
  const options = { url: url.href, passwordFile, pool: 10, applicationName: 'test' };
  const wait = statement('wait', 'SELECT pg_sleep(0.5)');
  const hold = async (database: Database): Promise<unknown> =>
    database
      .transaction((sql) => sql.rows(wait))
      // On a busy machine some connections take longer than the pool waits. Only a refusal is a failure.
      .catch((error: unknown) => {
        if (/timeout exceeded/.test(String(error))) return hold(database);
        throw error;
      });
  const allAtOnce = (database: Database) => Promise.all(Array.from({ length: options.pool }, () => hold(database)));

  await tables.query(`ALTER ROLE ${role} PASSWORD 'fifth'`);
  writeFileSync(passwordFile, 'fifth');
  const database = await Database.connect(options);
  writeFileSync(`${passwordFile}_PREVIOUS`, 'fifth');
  writeFileSync(passwordFile, 'sixth');
  await allAtOnce(database);
  const started = await Database.connect(options);
  await tables.query(`ALTER ROLE ${role} PASSWORD 'sixth'`);
  await allAtOnce(started);
  await Promise.all([database, started].map((one) => one.close()));
});
