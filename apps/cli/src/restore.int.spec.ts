import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { databaseServices } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { createTestDatabase, newTestFolder, traces, type TestDatabase } from '@holdfast/testing';
import { formatCheckpointLines, parseCheckpointLines, readCheckpoint } from '@holdfast/tlog';
import { signCheckpoint } from '@holdfast/tlog/signing';

/** A file of the repository. */
const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const [erased, other] = [randomUUID(), randomUUID()];
let database: TestDatabase;

const folder = newTestFolder('restore');
const ledger = join(folder, 'erased.csv');

/** Runs a command as the owner of the database, and returns its JSON output. */
async function cli<Printed>(...args: string[]): Promise<Printed> {
  const { stdout } = await promisify(execFile)(process.execPath, [at('apps/cli/dist/main.js'), ...args, '--json'], {
    env: { PATH: process.env.PATH, DATABASE_URL: database.ownerUrl },
  });
  return JSON.parse(stdout) as Printed;
}

/** A dry run counts what the restore then changes, and changes nothing. */
async function restore(): Promise<void> {
  const before = await dump();
  const counted = await cli<{ steps: unknown[] }>('restore', '--ledger', ledger, '--dry-run');
  expect((await dump()).split('\n').sort()).toEqual(before.split('\n').sort());
  expect((await cli<{ steps: unknown[] }>('restore', '--ledger', ledger)).steps).toEqual(counted.steps);
  // It may be repeated: nobody is left to erase.
  const { steps } = await cli<{ steps: { what: string; rows: number }[] }>('restore', '--ledger', ledger);
  expect(steps.filter(({ what, rows }) => rows > 0 && !/feeds|tombstones/.test(what))).toEqual([]);
}

/** Every row of every table, like pg_dump. */
async function dump(): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name
       FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) =>
      (await database.query<{ row: string }>(`SELECT t::text AS row FROM ONLY ${name} t`)).map(({ row }) => row),
    ),
  );
  return texts.flat().join('\n');
}

/** Inserts a person of directory with a row in every table that contains their id in plain text. */
async function insertPerson(person: string): Promise<void> {
  const key = customerKey('acme', person);
  await database.query(
    `INSERT INTO directory.person (id, org, status, email_index, personal_data, personal_data_key, encryption_key_id,
       user_handle)
     VALUES ($1, 'acme', 'active', $2, 'sealed', 'sealed', 'key', $2)`,
    [person, key],
  );
  await database.query(
    `INSERT INTO directory.person_search_token (org, token, created_at, person_id) VALUES ('acme', 'x', now(), $1)`,
    [person],
  );
  await database.query(`INSERT INTO directory.access_change (kind, id) VALUES ('person', $1)`, [person]);
  await database.query(
    `INSERT INTO directory.idempotency (app, key_hash, response, subject, event, version)
     VALUES ($1::text, $2, 'x', $1::uuid, gen_random_uuid(), 1), ('app', $2, 'x', $1::uuid, gen_random_uuid(), 1)`,
    [person, key],
  );
  await database.query(
    `INSERT INTO directory.outbox (id, aggregate, subject, payload)
     VALUES (gen_random_uuid(), $1, 'evt.directory.user.updated', json_build_object('user', $1::text)::text)`,
    [person],
  );
  await database.query(
    `INSERT INTO audit.pseudonym_mapping (org, value, data_subject, pseudonym) VALUES ('acme', $1, $1, md5($1))`,
    [person],
  );
}

/** Inserts a customer with a row in every table that contains customer ids in plain text. */
async function insertCustomer(customer: string): Promise<void> {
  const key = customerKey('acme', customer);
  const rows: [sql: string, values: unknown[]][] = [
    [`INSERT INTO issuance.subject (id, org, app, version, created_at) VALUES ($1, 'acme', 'a', 1, now())`, [customer]],
    [
      `INSERT INTO issuance.idempotency (app, key_hash, response, subject, event, version)
       VALUES ('a', $2, 'x', $1, gen_random_uuid(), 1)`,
      [customer, key],
    ],
    [
      `INSERT INTO issuance.outbox (id, aggregate, subject, payload)
       VALUES (gen_random_uuid(), $1, 'evt.issuance.offer.created', $1)`,
      [customer],
    ],
    [
      `INSERT INTO subjects.subject (key, version, org, app, subject, created_at, claimed, state)
       VALUES ($2, 1, 'acme', 'a', $1, now(), true, '{}')`,
      [customer, key],
    ],
    [
      `INSERT INTO auth.oidc_state (org, model, id, account, payload, expires_at)
       VALUES ('acme', 'Session', $2, $1, 'sealed', now() + interval '1 day')`,
      [customer, key],
    ],
    [
      `INSERT INTO auth.logout_notification (id, org, client_id, payload, due_at, expires_at)
       VALUES (gen_random_uuid(), 'acme', 'a', convert_to($1, 'UTF8'), now(), now())`,
      [customer],
    ],
    [
      `INSERT INTO audit.pseudonym_mapping (org, value, data_subject, pseudonym) VALUES ('acme', $1, $1, md5($1))`,
      [customer],
    ],
    [
      `INSERT INTO audit.personal_data_key (org, data_subject, id, key)
       VALUES ('acme', $1, gen_random_uuid(), 'sealed')`,
      [customer],
    ],
    [
      `INSERT INTO signals.event (org, seq, id, type, occurred_at, version, key, data, appended_at)
       VALUES ('acme', (SELECT coalesce(max(seq), 0) + 1 FROM signals.event), gen_random_uuid(), 'offer.created',
               now(), 1, $2, json_build_object('subject', $1::text), now())`,
      [customer, key],
    ],
    [
      `INSERT INTO signals.early_event (id, org, key, type, occurred_at, version, data, received_at)
       VALUES (gen_random_uuid(), 'acme', $2, 'offer.created', now(), 2,
               json_build_object('subject', $1::text), now())`,
      [customer, key],
    ],
    [`INSERT INTO signals.aggregate (key, version) VALUES ($1, 1)`, [key]],
  ];
  for (const [sql, values] of rows) await database.query(sql, values);
}

beforeAll(async () => {
  database = await createTestDatabase('issuance', async (DATABASE_URL) => {
    const migrate = (service: string) =>
      promisify(execFile)(process.execPath, [at(`apps/${service}/dist/migrate.js`)], {
        env: { PATH: process.env.PATH, DATABASE_URL },
      });
    await Promise.all(databaseServices.map(migrate));
  });
});
afterAll(() => database.drop());

test('a restore erases a customer who was erased after the backup, and keeps all others', async () => {
  await insertCustomer(erased);
  await insertCustomer(other);
  await database.query(`INSERT INTO signals.head (org, seq) VALUES ('acme', 2)`);
  // The ledger is from after the backup.
  await database.query('INSERT INTO issuance.erased (hash) VALUES ($1)', [customerKey('acme', erased)]);
  await cli('backup', 'erasure-ledger', ledger);
  await database.query('DELETE FROM issuance.erased');
  expect(traces(await dump(), [erased])).not.toEqual([]);

  await restore();

  const after = await dump();
  expect(traces(after, [erased])).toEqual([]);
  for (const table of [
    'issuance.subject',
    'issuance.outbox',
    'issuance.idempotency',
    'subjects.subject',
    'audit.pseudonym_mapping',
    'audit.personal_data_key',
    'signals.event',
    'signals.early_event',
  ]) {
    const rows = (await database.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`))
      .map(({ row }) => row)
      .join();
    expect([table, traces(rows, [other]).length > 0]).toEqual([table, true]);
  }
  // Each of the two restores skips numbers that the lost feed may have used.
  expect(await database.query('SELECT seq::int, lost::text FROM signals.head')).toEqual([
    { seq: 2_000_002, lost: '{[3,1000002),[1000003,2000002)}' },
  ]);
  // Each service has a tombstone, so that it ignores late events about the erased customer.
  const tombstones = [
    'auth.session_revocation WHERE erased',
    'audit.erased WHERE true',
    'subjects.subject WHERE erased_at IS NOT NULL',
    'signals.aggregate WHERE erased_at IS NOT NULL',
  ];
  for (const tombstone of tombstones)
    expect([tombstone, await database.query(`SELECT key FROM ${tombstone}`)]).toEqual([
      tombstone,
      [{ key: customerKey('acme', erased) }],
    ]);
});

test('a restore removes a person who was removed after the backup, and keeps all others', async () => {
  const [removed, kept] = [randomUUID(), randomUUID()];
  await database.query(`INSERT INTO directory.organization (short_id, name) VALUES ('acme', 'Acme')`);
  await insertPerson(removed);
  await insertPerson(kept);
  await database.query('INSERT INTO directory.erased (hash) VALUES ($1)', [customerKey('acme', removed)]);
  await cli('backup', 'erasure-ledger', ledger);
  expect(traces(await dump(), [removed])).not.toEqual([]);
  await restore();
  const after = await dump();
  expect(traces(after, [removed])).toEqual([]);
  expect(await database.query('SELECT id FROM directory.person')).toEqual([{ id: kept }]);
});

test('a restore deletes an organization that was deleted after the backup, and keeps all others', async () => {
  const hash = createHash('sha256').update('gone/').digest();
  await database.query(`INSERT INTO directory.organization (short_id, name) VALUES ('gone', 'Gone'), ('kept', 'Kept')`);
  for (const org of ['gone', 'kept']) {
    await database.query(
      `INSERT INTO issuance.subject (id, org, app, version, created_at) VALUES (gen_random_uuid(), $1, 'a', 1, now())`,
      [org],
    );
    await database.query(`INSERT INTO audit.head (org, seq, range) VALUES ($1, 3, '')`, [org]);
  }
  const withoutIt = readFileSync(ledger, 'utf8');
  writeFileSync(ledger, `${withoutIt}\\x${hash.toString('hex')},2026-11-01 00:00:00+00\n`);
  const counted = await cli('restore', '--ledger', ledger, '--dry-run');
  expect(counted).toMatchObject({
    organizations: [{ org: 'gone', rows: 3 }],
    erasedAgain: 0,
    alreadyErased: withoutIt.trim().split('\n').length,
  });
  expect((await cli<{ organizations: unknown }>('restore', '--ledger', ledger)).organizations).toEqual([
    { org: 'gone', rows: 3 },
  ]);
  // By the ledger of the database alone, which the first restore has completed.
  writeFileSync(ledger, withoutIt);
  await database.query(`INSERT INTO audit.head (org, seq, range) VALUES ('gone', 3, '')`);
  expect((await cli<{ organizations: unknown }>('restore', '--ledger', ledger)).organizations).toEqual([
    { org: 'gone', rows: 1 },
  ]);
  expect(await database.query(`SELECT org FROM issuance.subject WHERE org IN ('gone', 'kept')`)).toEqual([
    { org: 'kept' },
  ]);
  const fences = await database.query(`SELECT org, refuses FROM issuance.organization_fence`);
  expect(fences).toEqual([{ org: 'gone', refuses: 'deleted' }]);
  expect(await database.query(`SELECT short_id FROM directory.organization WHERE short_id = 'gone'`)).toEqual([]);
});

test('a restore counts whom it erases again, and apart from them whom the backup has erased already', async () => {
  const removed = randomUUID();
  const [before, after, unknown] = [randomUUID(), randomUUID(), randomUUID()];
  await insertCustomer(after);
  await insertPerson(removed);
  // Only the read model has this one, as when its database is restored to an earlier moment.
  const key = customerKey('acme', unknown);
  await database.query(
    `INSERT INTO subjects.subject (key, version, org, app, subject, created_at, claimed, state)
     VALUES ($1, 1, 'acme', 'a', $2, now(), true, '{}')`,
    [key, unknown],
  );
  await database.query('INSERT INTO issuance.erased (hash) VALUES ($1)', [customerKey('acme', before)]);
  await cli('backup', 'erasure-ledger', ledger);
  const known = readFileSync(ledger, 'utf8').trim().split('\n').length;
  const lineOf = (hash: Buffer) => `\\x${hash.toString('hex')},2026-11-01 00:00:00+00\n`;
  const again = [customerKey('acme', after), customerKey('acme', removed), key];
  writeFileSync(ledger, readFileSync(ledger, 'utf8') + again.map(lineOf).join(''));

  const counts = { erasedAgain: 3, alreadyErased: known };
  expect(await cli('restore', '--ledger', ledger, '--dry-run')).toMatchObject(counts);
  expect(await cli('restore', '--ledger', ledger)).toMatchObject(counts);
  expect(await cli('restore', '--ledger', ledger)).toMatchObject({ erasedAgain: 0, alreadyErased: known + 3 });
});

test('a restore is refused while a service is connected, and names it', async () => {
  const url = new URL(database.ownerUrl);
  url.searchParams.set('application_name', 'holdfast issuance');
  const service = new pg.Client({ connectionString: url.href });
  await service.connect();
  await expect(cli('restore', '--ledger', ledger)).rejects.toMatchObject({
    stderr: expect.stringContaining('These services are connected: holdfast issuance'),
  });
  await service.end();
});

test('a restore names the audit logs that end before a checkpoint that was kept elsewhere', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const checkpoint = (origin: string, size: number) =>
    signCheckpoint({ origin, size, root: Buffer.alloc(32, 1) }, privateKey);
  const sizes = { 'short-log': 7, 'long-log': 2, 'short-log-of-an-earlier-version': 9 };
  const notes = Object.entries(sizes).map(
    ([org, size]) => [org, checkpoint(`id.example/o/${org}/audit`, size)] as const,
  );
  for (const [org] of notes) await database.query(`INSERT INTO audit.head (org, seq, range) VALUES ($1, 5, '')`, [org]);
  const [earlier, earlierNote] = notes.at(-1)!;
  mkdirSync(join(folder, 'checkpoints', earlier), { recursive: true });
  writeFileSync(join(folder, 'checkpoints', earlier, 'latest'), earlierNote);
  writeFileSync(join(folder, 'checkpoints', '1.newest.ndjson'), formatCheckpointLines(notes.slice(0, -1)));
  mkdirSync(join(folder, 'checkpoints', 'lost+found'));
  const options = ['--ledger', ledger, '--checkpoints', join(folder, 'checkpoints'), '--dry-run'];
  const rolledBack = async () => (await cli<{ rolledBack: unknown }>('restore', ...options)).rolledBack;
  expect(await rolledBack()).toEqual([
    { org: 'short-log', entries: 5, signed: 7 },
    { org: earlier, entries: 5, signed: 9 },
  ]);
  // The log of a deleted organization was not lost.
  await database.query("INSERT INTO audit.erased (key) VALUES (sha256('short-log/'))");
  expect(await rolledBack()).toEqual([{ org: earlier, entries: 5, signed: 9 }]);
});

test('checkpoints are kept: the newest of each log, and never one of fewer entries', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const noteOf = (org: string, size: number) =>
    signCheckpoint({ origin: `id.example/o/${org}/audit`, size, root: Buffer.alloc(32, 1) }, privateKey);
  const store = (org: string, size: number) =>
    database.query(
      `INSERT INTO audit.checkpoint (org, size, note) VALUES ($1, $2, $3)
       ON CONFLICT (org) DO UPDATE SET size = excluded.size, note = excluded.note`,
      [org, size, noteOf(org, size)],
    );
  const kept = join(folder, 'kept', 'checkpoints');
  const sizes = () =>
    parseCheckpointLines(readFileSync(join(kept, 'backup.newest.ndjson'), 'utf8')).map(([org, note]) => [
      org,
      readCheckpoint(note).size,
    ]);
  await store('shortened', 7);
  await store('grown', 2);
  expect(await cli('backup', 'checkpoints', kept)).toEqual({ logs: 2, rolledBack: [] });
  await store('shortened', 4);
  await store('grown', 9);
  await expect(cli('backup', 'checkpoints', kept)).rejects.toMatchObject({
    stderr: expect.stringContaining('shortened has 4 entries, and a checkpoint has signed 7: 3 are missing'),
  });
  await database.query(`DELETE FROM audit.checkpoint WHERE org = 'grown'`);
  await expect(cli('backup', 'checkpoints', kept)).rejects.toBeDefined();
  expect(sizes()).toEqual([
    ['grown', 9],
    ['shortened', 7],
  ]);
  for (const org of ['shortened', 'grown'])
    await database.query(`INSERT INTO audit.head (org, seq, range) VALUES ($1, 4, '')`, [org]);
  const other = join(folder, 'kept', 'of a replica');
  mkdirSync(other);
  writeFileSync(join(other, '1.newest.ndjson'), formatCheckpointLines([['shortened', noteOf('shortened', 8)]]));
  const folders = ['--checkpoints', kept, '--checkpoints', other];
  const { rolledBack } = await cli<{ rolledBack: unknown }>('restore', '--ledger', ledger, ...folders, '--dry-run');
  expect(rolledBack).toEqual([
    { org: 'grown', entries: 4, signed: 9 },
    { org: 'shortened', entries: 4, signed: 8 },
  ]);
  writeFileSync(join(kept, 'backup.newest.ndjson'), 'damaged');
  await expect(cli('backup', 'checkpoints', kept)).rejects.toMatchObject({
    stderr: expect.stringContaining('so nothing was written'),
  });
});

test('a log that lost signed entries is signed again: its checkpoints are set aside, and the log says so', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const noteOf = (org: string, size: number) =>
    signCheckpoint({ origin: `id.example/o/${org}/audit`, size, root: Buffer.alloc(32, 1) }, privateKey);
  const replica = join(folder, 'signed again');
  mkdirSync(replica);
  writeFileSync(
    join(replica, '1.newest.ndjson'),
    formatCheckpointLines([
      ['lost', noteOf('lost', 5)],
      ['whole', noteOf('whole', 3)],
    ]),
  );
  writeFileSync(join(replica, '2.newest.ndjson'), formatCheckpointLines([['lost', noteOf('lost', 8)]]));
  for (const [org, entries] of [
    ['lost', 2],
    ['whole', 3],
  ]) {
    await database.query(`INSERT INTO audit.head (org, seq, range) VALUES ($1, $2, '')`, [org, entries]);
    await database.query(`INSERT INTO audit.checkpoint (org, size, note) VALUES ($1, $2, 'signed')`, [org, entries]);
  }
  const logs = [{ org: 'lost', entries: 2, signed: 8 }];
  const signAgain = ['audit', 'sign-again', '--all', '--checkpoints', replica];
  expect(await cli(...signAgain, '--dry-run')).toEqual({ dryRun: true, logs });
  expect(readdirSync(replica).sort()).toEqual(['1.newest.ndjson', '2.newest.ndjson']);

  // A replica that runs would write other checkpoints meanwhile.
  const url = new URL(database.ownerUrl);
  url.searchParams.set('application_name', 'holdfast audit');
  const running = new pg.Client({ connectionString: url.href });
  await running.connect();
  await expect(cli(...signAgain)).rejects.toMatchObject({ stderr: expect.stringContaining('Nothing was changed') });
  await running.end();
  expect(readdirSync(replica).sort()).toEqual(['1.newest.ndjson', '2.newest.ndjson']);

  expect(await cli(...signAgain)).toEqual({ dryRun: false, logs });
  const [first, second, replaced, ...others] = readdirSync(replica).sort();
  const orgsIn = (name: string) =>
    parseCheckpointLines(readFileSync(join(replica, name), 'utf8')).map(([org, note]) => [
      org,
      readCheckpoint(note).size,
    ]);
  expect(orgsIn(first!)).toEqual([['whole', 3]]);
  expect(orgsIn(second!)).toEqual([]);
  expect(replaced).toMatch(/^replaced-.*Z\.ndjson$/);
  expect(orgsIn(replaced!)).toEqual([
    ['lost', 5],
    ['lost', 8],
  ]);
  expect(others).toEqual([]);
  expect(
    await database.query(`SELECT org, size::int FROM audit.checkpoint WHERE org IN ('lost', 'whole') ORDER BY org`),
  ).toEqual([
    { org: 'lost', size: 0 },
    { org: 'whole', size: 3 },
  ]);
  const records = await database.query<{ org: string; record: string }>('SELECT org, record FROM audit.pending_record');
  expect(records.map(({ org, record }) => [org, JSON.parse(String(record)) as unknown])).toEqual([
    ['lost', expect.objectContaining({ action: 'audit.sign_again', changes: { entries: { from: 8, to: 2 } } })],
  ]);
  // Again it finds nothing, and a log without a checkpoint cannot be named.
  expect(await cli(...signAgain)).toEqual({ dryRun: false, logs: [] });
  await expect(cli('audit', 'sign-again', '--org', 'lost', '--checkpoints', replica)).rejects.toMatchObject({
    stderr: expect.stringContaining('No checkpoint of lost is in'),
  });
});

test('a damaged ledger is refused with the line', async () => {
  writeFileSync(join(folder, 'damaged.csv'), `\\x${'0'.repeat(64)},2026-11-22 10:00:00+00\nnonsense\n`);
  await expect(cli('restore', '--ledger', join(folder, 'damaged.csv'))).rejects.toMatchObject({
    stderr: expect.stringContaining('Line 2 of'),
  });
});
