import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DatabaseTlsFiles } from '@holdfast/platform';
import {
  createTestDatabase,
  eventually,
  TestAuthority,
  type TestCertificate,
  type TestDatabase,
} from '@holdfast/testing';
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

function urlAt(host: string, database = tables): string {
  const url = new URL(database.ownerUrl);
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
  expect(await migrate('audit', urlAt('localhost'), [], { caFile: authority.caFile })).toEqual([]);
  await expect(migrate('audit', urlAt('localhost'), [], { caFile: other.caFile })).rejects.toThrow(
    'certificate signature failure',
  );
});

it('verifies by the file also when the address says otherwise', async () => {
  const url = `${urlAt('localhost')}?sslmode=disable`;
  const database = await Database.connect({ url, caFile: authority.caFile, pool: 1, applicationName: 'test' });
  expect(await database.rows(encrypted)).toEqual([{ ssl: true }]);
  await database.close();
});

describe('a server that asks for the certificate of its user (clientcert=verify-full)', () => {
  const proven = statement('proven', 'SELECT client_dn AS dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  const serial = statement('serial', 'SELECT client_serial::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
  let guarded: TestDatabase;
  let user: string;
  let own: TestCertificate;
  let rules: string;

  /** Only this database asks for certificates: the server is shared. */
  beforeAll(async () => {
    guarded = await createTestDatabase('audit', () => Promise.resolve());
    const { username, pathname } = new URL(guarded.ownerUrl);
    user = username;
    own = await authority.issue(user);
    await write(authority.caFile, 'test-clients.crt');
    await tables.query("ALTER SYSTEM SET ssl_ca_file = 'test-clients.crt'");
    rules = (await tables.query<{ rules: string }>("SELECT pg_read_file('pg_hba.conf') AS rules"))[0]!.rules;
    await writeRules(`hostssl ${pathname.slice(1)} all all scram-sha-256 clientcert=verify-full\n${rules}`);
  });
  afterAll(async () => {
    await writeRules(rules);
    await tables.query('ALTER SYSTEM RESET ssl_ca_file');
    await guarded.drop();
  });

  async function writeRules(text: string): Promise<void> {
    const encoded = Buffer.from(text).toString('base64');
    await tables.query(`COPY (SELECT '${encoded}') TO PROGRAM 'base64 -d > pg_hba.conf'`);
    await tables.query('SELECT pg_reload_conf()');
  }

  const connectWith = (files: DatabaseTlsFiles) =>
    Database.connect({
      url: urlAt('localhost', guarded),
      caFile: authority.caFile,
      ...files,
      pool: 1,
      applicationName: 'test',
    });

  it('accepts one for its name', async () => {
    const database = await connectWith(own);
    expect(await database.rows(proven)).toEqual([{ dn: `/CN=${user}` }]);
    await database.close();
    expect(await migrate('audit', urlAt('localhost', guarded), [], { caFile: authority.caFile, ...own })).toEqual([]);
  });

  it.each([
    ['none', () => Promise.resolve({}), 'connection requires a valid client certificate'],
    ['one of another name', () => authority.issue('somebody'), 'authentication failed for user'],
    ['one of another authority', () => other.issue(user), /alert|ECONNRESET/],
  ])('refuses %s', async (_, files, message) => {
    await expect(files().then(connectWith)).rejects.toThrow(message);
  });

  it('gets a renewed certificate with the next connection', async () => {
    const files = { certFile: join(other.folder, 'renewed.crt'), keyFile: join(other.folder, 'renewed.key') };
    copyFileSync(own.certFile, files.certFile);
    copyFileSync(own.keyFile, files.keyFile);
    const database = await connectWith(files);
    const renewed = await authority.issue(user);
    copyFileSync(renewed.certFile, files.certFile);
    copyFileSync(renewed.keyFile, files.keyFile);
    const before = await database.rows(serial);
    await guarded.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
       WHERE application_name = 'test' AND datname = current_database()`,
    );
    await eventually(async () => expect(await database.rows(serial)).not.toEqual(before));
    await database.close();
  });
});
