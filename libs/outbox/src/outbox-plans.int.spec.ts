import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Database, migrate } from '@holdfast/data';
import { createTestDatabase, type TestDatabase } from '@holdfast/testing';
import { OutboxShards1764720000000, outboxTables } from './outbox-table.js';
import { QuarantinedEvents1764210000000 } from './quarantine-table.js';
import { confirm, confirmRetained, unpublished } from './relay-statements.js';

class OutboxOnly1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of outboxTables) await runner.query(sql);
  }
  async down(): Promise<void> {}
}

const databases: TestDatabase[] = [];
const rows = [1000, 30_000];
const retained = 'evt.issuance.subject.erasure_started';

beforeAll(async () => {
  for (const count of rows) {
    const tables = await createTestDatabase('directory', (url) =>
      migrate('directory', url, [OutboxOnly1700000000000, QuarantinedEvents1764210000000, OutboxShards1764720000000]),
    );
    databases.push(tables);
    // Every consumer has applied the first hundred: twenty of a retained subject and eighty others.
    await tables.query(
      `INSERT INTO directory.outbox (id, aggregate, subject, payload, stream_seq, published_at)
       SELECT gen_random_uuid(), 'a' || i / 3,
         CASE WHEN i % 5 = 0 THEN '${retained}' ELSE 'evt.issuance.offer.created' END,
         repeat('x', 500), i, now() - interval '1 minute'
       FROM generate_series(1, ${count}) i`,
    );
    await tables.query('VACUUM ANALYZE directory.outbox');
  }
});
afterAll(() => Promise.all(databases.map((tables) => tables.drop())));

test.each([confirm, confirmRetained].map((statement) => [statement.name, statement] as const))(
  '%s reads only the rows that it confirms, however many are unconfirmed',
  async (_, statement) => {
    const now = new Date().toISOString();
    const values = [100, ['evt.issuance.credential.'], [0], 0, [retained], now, null];
    const [few, many] = await Promise.all(databases.map((tables) => tables.buffers(statement.text, values)));
    expect(many).toBeLessThanOrEqual(few! * 1.5 + 10);
  },
);

test('what a sweep reads is limited by bytes, in the order of the events, and says that there is more', async () => {
  const [tables] = databases as [TestDatabase];
  const database = await Database.connect({ url: tables.url(), pool: 1, applicationName: 'test' });
  const read = () => database.rows<{ id: string; read: number }>(unpublished, [true, [], null]);
  expect(await read()).toEqual([]);
  await tables.query(
    `INSERT INTO directory.outbox (id, aggregate, subject, payload, created_at)
     SELECT gen_random_uuid(), 'large', 'evt.directory.app.updated', repeat(md5(i::text), 31250),
       now() + i * interval '1 second'
     FROM generate_series(1, 20) i`,
  );
  const ids = (
    await tables.query<{ id: string }>("SELECT id FROM directory.outbox WHERE aggregate = 'large' ORDER BY created_at")
  ).map(({ id }) => id);
  // Four of a million bytes each.
  expect((await read()).map(({ id, read }) => [id, read])).toEqual(ids.slice(0, 4).map((id) => [id, 20]));
  await tables.query('UPDATE directory.outbox SET payload = repeat(payload, 5) WHERE id = $1', [ids[0]]);
  expect((await read()).map(({ id }) => id)).toEqual(ids.slice(0, 1));
  await tables.query("DELETE FROM directory.outbox WHERE aggregate = 'large'");
  await database.close();
});

test('deletes exactly the events that every consumer has applied, and keeps those of retained subjects', async () => {
  for (const [i, tables] of databases.entries()) {
    const found = await tables.query(
      `SELECT count(*)::int AS all, count(*) FILTER (WHERE confirmed)::int AS confirmed,
         min(stream_seq) FILTER (WHERE NOT confirmed)::int AS first FROM directory.outbox`,
    );
    expect(found).toEqual([{ all: rows[i]! - 80, confirmed: 20, first: 101 }]);
  }
});
