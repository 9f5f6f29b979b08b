// The parts of a move that need real tables: which rows are an organization's, the fence, the copy.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseServices, type ServiceName } from '@holdfast/contracts';
import { createTestDatabase, type TestDatabase } from '@holdfast/testing';
import { copyRows, deleteRows, digestsOf, requireEqual, rowsIn } from '../organization-rows/copy-rows.js';
import { fence, removeFence } from '../organization-rows/fences.js';
import { organizationTables } from '../organization-rows/organization-tables.js';
import { movedServices } from '../organization-rows/shard-databases.js';

/** Runs the migrations of the services as an operator does. */
async function migrateAll(ownerUrl: string): Promise<void> {
  for (const service of databaseServices) {
    const program = fileURLToPath(new URL(`../../../${service}/dist/migrate.js`, import.meta.url));
    await promisify(execFile)(process.execPath, [program], { env: { PATH: process.env.PATH, DATABASE_URL: ownerUrl } });
  }
}

let databases: TestDatabase[];
let source: pg.Client;
let target: pg.Client;

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

beforeAll(async () => {
  databases = await Promise.all([createTestDatabase('audit', migrateAll), createTestDatabase('audit', migrateAll)]);
  [source, target] = await Promise.all([connected(databases[0]!.ownerUrl), connected(databases[1]!.ownerUrl)]);
});
afterAll(async () => {
  await Promise.all([source.end(), target.end()]);
  await Promise.all(databases.map((database) => database.drop()));
});

const insertCustomer = (client: pg.ClientBase, org: string, id: string = randomUUID()) =>
  client.query("INSERT INTO issuance.subject (id, org, app, version, created_at) VALUES ($1, $2, 'shop', 1, now())", [
    id,
    org,
  ]);
const newOrg = () => `org-${randomUUID().slice(0, 8)}`;
const refused = /the organization is being moved to another shard, or was/;

describe('the tables of an organization', () => {
  it('are found for every service, whatever its migrations have created', async () => {
    const found: Record<string, string[]> = {};
    for (const service of databaseServices)
      found[service] = (await organizationTables(source, service)).moved.map(({ name }) => name.split('.')[1]!).sort();
    expect(found).toEqual({
      issuance: expect.arrayContaining(['challenge', 'credential', 'idempotency', 'offer', 'passkey', 'subject']),
      subjects: ['subject'],
      auth: ['logout_notification', 'oidc_state', 'record_outbox', 'signing_key'],
      directory: [
        'access_request',
        'app',
        'app_grant',
        'app_logo',
        'app_removed_key',
        'app_secret',
        'assignment',
        'challenge',
        'group_member',
        'idempotency',
        'invitation',
        'logo',
        'organization',
        'person',
        'person_group',
        'person_passkey',
        'person_search_token',
      ],
      audit: expect.arrayContaining([
        'checkpoint',
        'entry',
        'entry_target',
        'head',
        'leaf',
        'pending_record',
        'subtree',
      ]),
      signals: [
        'audit_delivery',
        'audit_destination',
        'audit_suspension',
        'early_event',
        'event',
        'head',
        'idempotency',
        'record_outbox',
        'ssf_event',
        'ssf_stream',
        'ssf_subject',
        'ssf_transmitter',
        'webhook_delivery',
        'webhook_endpoint',
        'webhook_key',
      ],
    });
  });

  it('are refused when a new table has neither an organization nor a reason', async () => {
    await source.query('CREATE TABLE signals.note (id uuid PRIMARY KEY)');
    await expect(organizationTables(source, 'signals')).rejects.toThrow(
      'The table signals.note has no column "org" and no foreign key to a table with one',
    );
    await source.query('DROP TABLE signals.note');
  });

  it('that others refer to come first', async () => {
    const names = (await organizationTables(source, 'issuance')).moved.map(({ name }) => name);
    for (const [parent, child] of [
      ['subject', 'credential'],
      ['credential', 'offer'],
      ['webauthn_user', 'passkey'],
      ['subject', 'challenge'],
    ])
      expect(names.indexOf(`issuance.${parent}`)).toBeLessThan(names.indexOf(`issuance.${child}`));
  });
});

describe('a fence', () => {
  it('refuses every write of the service, in every table, and none of another organization', async () => {
    const [org, other] = [newOrg(), newOrg()];
    const [ours, theirs] = [randomUUID(), randomUUID()];
    const service = await connected(databases[0]!.url('issuance'));
    await insertCustomer(service, org, ours);
    await insertCustomer(service, other, theirs);
    await fence(source, 'issuance', org, 'everything');
    await expect(insertCustomer(service, org)).rejects.toThrow(refused);
    const statements = ['UPDATE subject SET version = 2 WHERE id = $1', 'DELETE FROM subject WHERE id = $1'];
    for (const sql of statements) {
      await expect(service.query(sql, [ours])).rejects.toThrow(refused);
      expect((await service.query(sql, [theirs])).rowCount).toBe(1);
    }
    await expect(service.query('DELETE FROM organization_fence')).rejects.toThrow('permission denied');
    await removeFence(source, 'issuance', org);
    expect((await service.query(statements[1]!, [ours])).rowCount).toBe(1);
    await service.end();
  });

  it.each(movedServices)(
    'of %s has triggers on each table with an organization, and on its partitions',
    async (service) => {
      await fence(source, service, newOrg(), 'everything');
      const { rows } = await source.query<{ name: string }>(
        `SELECT c.relname AS name FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org' AND NOT a.attisdropped
       WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> 'organization_fence'
         AND (SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname LIKE 'organization_fence_%') <> 3`,
        [service],
      );
      expect(rows).toEqual([]);
    },
  );

  it('waits for a transaction of a paused process, and refuses what it does afterwards', async () => {
    const org = newOrg();
    const paused = await connected(databases[0]!.url('issuance'));
    await paused.query('BEGIN');
    await insertCustomer(paused, org);
    let fenced = false;
    const fencing = fence(source, 'issuance', org, 'everything').then(() => (fenced = true));
    // Another connection shows that the fence is tried and not yet there.
    await insertCustomer(target, org);
    expect(fenced).toBe(false);
    await paused.query('COMMIT');
    await fencing;
    await expect(insertCustomer(paused, org)).rejects.toThrow(refused);
    const { rows } = await source.query('SELECT FROM issuance.subject WHERE org = $1', [org]);
    expect(rows).toHaveLength(1);
    await paused.end();
    await deleteRows(target, 'issuance', org);
  });
});

describe('a copy', () => {
  const copied = async (service: ServiceName, org: string) => {
    await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    await copyRows(source, target, service, org);
    await source.query('ROLLBACK');
    return [await digestsOf(source, service, org), await digestsOf(target, service, org)] as const;
  };

  it('has the bytes of each value, and nothing of other organizations', async () => {
    const [org, other] = [newOrg(), newOrg()];
    const [id, webauthn] = [randomUUID(), randomUUID()];
    await insertCustomer(source, org, id);
    await insertCustomer(source, other, webauthn);
    for (const [subject, of] of [
      [id, org],
      [webauthn, other],
    ])
      await source.query('INSERT INTO issuance.webauthn_user (subject, org, handle) VALUES ($1, $2, $3)', [
        subject,
        of,
        Buffer.from(randomUUID().repeat(2).slice(0, 32)),
      ]);
    await source.query(
      `INSERT INTO issuance.idempotency (app, key_hash, response, event, version, created_at, org)
       VALUES ('shop', $1, $2, $3, 1, '2026-01-02 03:04:05.678+09', $4)`,
      [Buffer.from(id), Buffer.from('"\\,(){}\0ÿ'), id, org],
    );
    const [before, after] = await copied('issuance', org);
    expect(after).toEqual(before);
    expect(rowsIn(after)).toBe(3);
    expect(rowsIn(await digestsOf(target, 'issuance', other))).toBe(0);
  });

  it('that differs in one value is found', async () => {
    const org = newOrg();
    await source.query(
      `INSERT INTO signals.event (org, seq, id, type, occurred_at, version, key, data, appended_at)
       SELECT $1, n, gen_random_uuid(), 'offer.created', now(), 1, '\\x00', '{"a" : 1}', now()
       FROM generate_series(1, 3) n`,
      [org],
    );
    const [before, after] = await copied('signals', org);
    requireEqual(before, after);
    // The same document with other bytes.
    await target.query(`UPDATE signals.event SET data = '{"a": 1}' WHERE org = $1 AND seq = 2`, [org]);
    const changed = await digestsOf(target, 'signals', org);
    expect(() => requireEqual(before, changed)).toThrow('The copy differs from the source in signals.event');
  });

  it('of hashes without an organization keeps the newer version and every erasure', async () => {
    const keys = [1, 2, 3].map((n) => Buffer.from(randomUUID() + n));
    const insert = (client: pg.Client, key: Buffer, version: number, erased: string | null) =>
      client.query('INSERT INTO signals.aggregate (key, version, erased_at) VALUES ($1, $2, $3)', [
        key,
        version,
        erased,
      ]);
    await insert(source, keys[0]!, 5, null);
    await insert(target, keys[0]!, 7, null);
    await insert(source, keys[1]!, 2, '2026-01-01');
    await insert(target, keys[1]!, 2, null);
    await insert(source, keys[2]!, 1, null);
    await copied('signals', newOrg());
    const { rows } = await target.query<{ version: number; erased: boolean }>(
      'SELECT version, erased_at IS NOT NULL AS erased FROM signals.aggregate WHERE key = ANY ($1) ORDER BY version',
      [keys],
    );
    expect(rows).toEqual([
      { version: 1, erased: false },
      { version: 2, erased: true },
      { version: 7, erased: false },
    ]);
  });

  it('of a log can be deleted by the owner who says so, and by nobody else', async () => {
    const org = newOrg();
    await source.query(
      `INSERT INTO audit.leaf (org, seq, id, class, month, from_provisional, leaf_hash)
       VALUES ($1, 1, $2, 'changes', 24310, false, '\\x00')`,
      [org, randomUUID()],
    );
    const remove = 'DELETE FROM audit.leaf WHERE org = $1';
    await expect(source.query(remove, [org])).rejects.toThrow('append-only');
    const service = await connected(databases[0]!.url('audit'));
    await service.query("SET holdfast.removes_moved_organization = 'on'");
    await expect(service.query(remove, [org])).rejects.toThrow(/permission denied/);
    await service.end();
    expect(await deleteRows(source, 'audit', org)).toBe(1);
  });
});
