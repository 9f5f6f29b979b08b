import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, TestAuthority, type TestDatabase } from '@holdfast/testing';
import { Database, statement } from './database.js';
import { migrate } from './migrate.js';

const encrypted = statement('encrypted', 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
let authority: TestAuthority;
let other: TestAuthority;
let tables: TestDatabase;

/** Switches TLS of the shared server on: connections without it still work. */
beforeAll(async () => {
  [authority, other] = [await TestAuthority.create(), await TestAuthority.create()];
  tables = await createTestDatabase('audit', () => Promise.resolve());
  const { certFile, keyFile } = await authority.issue('localhost');
  // PostgreSQL writes the files, since it runs as another user and accepts a key that only its owner can read.
  await write(certFile, 'test.crt');
  await write(keyFile, 'test.key');
  for (const setting of ["ssl_cert_file = 'test.crt'", "ssl_key_file = 'test.key'", 'ssl = on'])
    await tables.query(`ALTER SYSTEM SET ${setting}`);
  await tables.query('SELECT pg_reload_conf()');
});
afterAll(async () => {
  await tables.query('ALTER SYSTEM RESET ssl');
  await tables.query('SELECT pg_reload_conf()');
  await tables.drop();
});

async function write(file: string, name: string): Promise<void> {
  const text = readFileSync(file, 'utf8').replaceAll('\n', '\\n');
  await tables.query(`COPY (SELECT E'${text}') TO PROGRAM 'umask 077; printf "%b" "$(cat)" > ${name}'`);
}

function urlAt(host: string): string {
  const url = new URL(tables.ownerUrl);
  url.hostname = host;
  return url.href;
}

const connect = (host: string, caFile: string) =>
  Database.connect({ url: urlAt(host), caFile, pool: 2, applicationName: 'test' });

it('encrypts connections to a server whose certificate the file signed for its name', async () => {
  const database = await connect('localhost', authority.caFile);
  expect(await database.rows(encrypted)).toEqual([{ ssl: true }]);
  await database.close();
});

it.each([
  ['signed by another authority', 'localhost', () => other, 'certificate signature failure'],
  ['issued for another name', '127.0.0.1', () => authority, "does not match certificate's altnames"],
])('refuses a server whose certificate is %s', async (_, host, signer, message) => {
  await expect(connect(host, signer().caFile)).rejects.toThrow(message);
});

it('runs migrations over TLS', async () => {
  expect(await migrate('audit', urlAt('localhost'), [], authority.caFile)).toEqual([]);
  await expect(migrate('audit', urlAt('localhost'), [], other.caFile)).rejects.toThrow('certificate signature failure');
});
