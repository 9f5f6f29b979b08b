import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, migrate } from '@holdfast/data';
import { createTestDatabase, eventually, type TestDatabase } from '@holdfast/testing';
import { firstType } from '../credential-types/credential-type.entity.js';
import { migrations } from '../migrations/index.js';
import { firstOffer } from '../offers/offer.js';
import { CustomerInserts } from './customer-inserts.js';
import type { NewCustomer } from './insert-customers.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const expiresAt = new Date('2026-11-24T09:00:00.000Z');

function newCustomer({ org = 'acme', key }: { org?: string; key?: Buffer } = {}): NewCustomer {
  const id = randomUUID();
  const ids = { offer: randomUUID(), credential: randomUUID(), tokenHash: randomBytes(32) };
  const { customer } = firstOffer({ id, org, app: 'shop' }, { type: firstType, expiresAt }, ids, now);
  const event = { id: randomUUID(), aggregate: id, subject: 'evt.issuance.offer.created', payload: '{"a":"\\"{}"}' };
  const stored = key && { app: 'shop', keyHash: key, fingerprint: randomBytes(32), response: randomBytes(40) };
  return { customer, event, stored };
}

describe('new customers that arrive together', () => {
  let tables: TestDatabase;
  let database: Database;
  let inserts: CustomerInserts;

  const add = (rows: NewCustomer[]) => Promise.allSettled(rows.map((row) => inserts.add(row)));
  /** Rows of the organization by table, and in how many transactions those of customers were inserted. */
  const stored = async (org: string) => {
    const [row] = await tables.query(
      `SELECT count(*)::int AS subjects, count(DISTINCT xmin::text)::int AS transactions,
         (SELECT count(*)::int FROM issuance.credential WHERE org = $1) AS credentials,
         (SELECT count(*)::int FROM issuance.offer WHERE org = $1) AS offers,
         (SELECT count(*)::int FROM issuance.outbox o JOIN issuance.subject s ON s.id::text = o.aggregate
          WHERE s.org = $1 AND payload = '{"a":"\\"{}"}') AS events,
         (SELECT count(*)::int FROM issuance.idempotency WHERE org = $1) AS keys
       FROM issuance.subject WHERE org = $1`,
      [org],
    );
    return row;
  };

  beforeAll(async () => {
    tables = await createTestDatabase('issuance', (url) => migrate('issuance', url, migrations), { isCopied: true });
  });
  beforeEach(async () => {
    database = await Database.connect({ url: tables.url(), pool: 4, applicationName: 'test' });
    inserts = new CustomerInserts(database);
  });
  afterEach(() => database.close());
  afterAll(() => tables.drop());

  it('are inserted with all their rows in one transaction', async () => {
    const org = 'together';
    const rows = Array.from({ length: 30 }, (_, i) => newCustomer({ org, ...(i < 10 && { key: randomBytes(32) }) }));
    await expect(add(rows)).resolves.toEqual(Array(30).fill({ status: 'fulfilled', value: undefined }));
    expect(await stored(org)).toEqual({
      subjects: 30,
      transactions: 1,
      credentials: 30,
      offers: 30,
      events: 30,
      keys: 10,
    });
  });

  it('are inserted once for each Idempotency-Key, and the others are rejected', async () => {
    const org = 'keys';
    const [first, second] = [randomBytes(32), randomBytes(32)];
    await add([newCustomer({ org, key: first })]);
    const settled = await add(
      [first, second, second, undefined].map((key) => newCustomer({ org, ...(key && { key }) })),
    );
    const inProgress = { status: 'rejected', reason: expect.objectContaining({ code: 'idempotency_in_progress' }) };
    const done = { status: 'fulfilled', value: undefined };
    expect(settled).toEqual([inProgress, done, inProgress, done]);
    expect(await stored(org)).toMatchObject({ subjects: 3, credentials: 3, offers: 3, events: 3, keys: 2 });
  });

  it('are inserted without those of an organization that moves to another shard', async () => {
    await tables.query(
      `CREATE TRIGGER fence BEFORE INSERT ON issuance.subject FOR EACH ROW WHEN (NEW.org = 'moving')
       EXECUTE FUNCTION issuance.refuse_fenced_organization()`,
    );
    const orgs = ['stays', 'moving', 'stays', 'stays', 'moving', 'stays', 'stays'];
    const settled = await add(orgs.map((org) => newCustomer({ org })));
    expect(
      settled.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : one.status)),
    ).toEqual(orgs.map((org) => (org === 'moving' ? '23HF1' : 'fulfilled')));
    expect(await stored('stays')).toMatchObject({ subjects: 5, credentials: 5, offers: 5, events: 5 });
    expect(await stored('moving')).toMatchObject({ subjects: 0, credentials: 0, offers: 0, events: 0 });
  });

  it('are rejected as a whole, without a further attempt, while the database is unavailable', async () => {
    let statements = 0;
    const rows = database.rows.bind(database);
    database.rows = (...of) => ((statements += 1), rows(...of));
    await tables.refuseConnections(true);
    try {
      const settled = await add(Array.from({ length: 8 }, () => newCustomer()));
      expect(settled.map(({ status }) => status)).toEqual(Array(8).fill('rejected'));
      expect(statements).toBe(1);
    } finally {
      await tables.refuseConnections(false);
    }
  });

  it('do not wait for one whose Idempotency-Key another replica is about to commit', async () => {
    const org = 'waits';
    const key = randomBytes(32);
    const other = await Database.connect({ url: tables.url(), pool: 1, applicationName: 'other' });
    const held = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const replica = other.transaction(async (sql) => {
      await sql.rows(
        {
          name: '',
          text: `INSERT INTO idempotency (app, key_hash, event, version, org) VALUES ('shop', $1, $2, 1, 'other')`,
        },
        [key, randomUUID()],
      );
      held.resolve();
      await release.promise;
    });
    await held.promise;
    let isSettled = false;
    const waiting = inserts.add(newCustomer({ org, key })).finally(() => (isSettled = true));
    waiting.catch(() => undefined);
    await eventually(
      async () =>
        (
          await tables.query(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          )
        ).length > 0,
    );
    for (let i = 0; i < 5; i += 1) await inserts.add(newCustomer({ org }));
    expect(isSettled).toBe(false);
    release.resolve();
    await replica;
    await expect(waiting).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    expect(await stored(org)).toMatchObject({ subjects: 5, keys: 0 });
    await other.close();
  });
});
