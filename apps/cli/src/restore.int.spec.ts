import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { databaseServices } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { createTestDatabase, traces, type TestDatabase } from '@holdfast/testing';

/** A file of the repository. */
const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const [erased, other] = [randomUUID(), randomUUID()];
let session: TestDatabase;

/** Every row of every table: what pg_dump would write. */
async function dump(): Promise<string> {
  const tables = await session.query<{ name: string }>(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) =>
      (await session.query<{ row: string }>(`SELECT t::text AS row FROM ONLY ${name} t`)).map(({ row }) => row),
    ),
  );
  return texts.flat().join('\n');
}

/** A customer with a row in every table that names one in plain. */
async function backedUp(who: string): Promise<void> {
  const key = customerKey('acme', who);
  const rows: [sql: string, values: unknown[]][] = [
    [`INSERT INTO issuance.subject (id, org, app, version, created_at) VALUES ($1, 'acme', 'a', 1, now())`, [who]],
    [
      `INSERT INTO issuance.idempotency (app, key_hash, answer, subject, event, version) VALUES ('a', $2, 'x', $1, gen_random_uuid(), 1)`,
      [who, key],
    ],
    [
      `INSERT INTO issuance.outbox (id, aggregate, subject, payload) VALUES (gen_random_uuid(), $1, 'evt.issuance.offer.created', $1)`,
      [who],
    ],
    [
      `INSERT INTO subjects.subject (key, version, org, app, subject, created_at, claimed, state) VALUES ($2, 1, 'acme', 'a', $1, now(), true, '{}')`,
      [who, key],
    ],
    [
      `INSERT INTO auth.oidc_state (org, model, id, account, payload, expires_at) VALUES ('acme', 'Session', $2, $1, 'sealed', now() + interval '1 day')`,
      [who, key],
    ],
    [
      `INSERT INTO auth.logout_notice (id, org, client_id, about, due_at, ends_at) VALUES (gen_random_uuid(), 'acme', 'a', convert_to($1, 'UTF8'), now(), now())`,
      [who],
    ],
    [`INSERT INTO audit.pseudonym (org, value, holder, pseudonym) VALUES ('acme', $1, $1, md5($1))`, [who]],
    [`INSERT INTO audit.person_key (org, holder, person, key) VALUES ('acme', $1, gen_random_uuid(), 'sealed')`, [who]],
    [
      `INSERT INTO signals.event (org, seq, id, type, occurred_at, version, key, data, placed_at) VALUES ('acme', (SELECT count(*) + 1 FROM signals.event), gen_random_uuid(), 'offer.created', now(), 1, $2, json_build_object('subject', $1::text), now())`,
      [who, key],
    ],
    [
      `INSERT INTO signals.waiting (id, org, key, type, occurred_at, version, data, since) VALUES (gen_random_uuid(), 'acme', $2, 'offer.created', now(), 2, json_build_object('subject', $1::text), now())`,
      [who, key],
    ],
    [`INSERT INTO signals.aggregate (key, version) VALUES ($1, 1)`, [key]],
  ];
  for (const [sql, values] of rows) await session.query(sql, values);
}

beforeAll(async () => {
  session = await createTestDatabase('issuance', async (DATABASE_URL) => {
    const migrate = (service: string) =>
      promisify(execFile)(process.execPath, [at(`apps/${service}/dist/migrate.js`)], {
        env: { PATH: process.env.PATH, DATABASE_URL },
      });
    await Promise.all(databaseServices.map(migrate));
  });
});
afterAll(() => session.drop());

test('what the runbook has one run after a restore leaves nothing of a customer who was erased since, and all of the others', async () => {
  await backedUp(erased);
  await backedUp(other);
  await session.query(`INSERT INTO signals.head (org, seq) VALUES ('acme', 2)`);
  await session.query('INSERT INTO issuance.erased (hash) VALUES ($1)', [customerKey('acme', erased)]);
  expect(traces(await dump(), [erased])).not.toEqual([]);

  const runbook = readFileSync(at('docs/runbook.md'), 'utf8');
  await session.query(/```sql\n(BEGIN;[\s\S]*?COMMIT;)/.exec(runbook)![1]!);

  const after = await dump();
  expect(traces(after, [erased])).toEqual([]);
  for (const table of [
    'issuance.subject',
    'issuance.outbox',
    'issuance.idempotency',
    'subjects.subject',
    'audit.pseudonym',
    'audit.person_key',
    'signals.event',
    'signals.waiting',
  ]) {
    const kept = (await session.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`))
      .map(({ row }) => row)
      .join();
    expect([table, traces(kept, [other]).length > 0]).toEqual([table, true]);
  }
  // A late write about the erased finds a mark in each service that would keep it.
  const marks = [
    'auth.ended_customer WHERE erased',
    'audit.erased WHERE true',
    'subjects.subject WHERE erased_at IS NOT NULL',
    'signals.aggregate WHERE erased_at IS NOT NULL',
  ];
  for (const mark of marks)
    expect([mark, await session.query(`SELECT key FROM ${mark}`)]).toEqual([
      mark,
      [{ key: customerKey('acme', erased) }],
    ]);
});
