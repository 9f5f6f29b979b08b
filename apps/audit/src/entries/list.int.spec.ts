import type { AuditFilter } from '@holdfast/contracts';
import { Database, migrate, statement } from '@holdfast/data';
import { createTestDatabase, testContext, type TestDatabase } from '@holdfast/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../migrations/index.js';
import { ListEventsHandler } from './list-events.handler.js';
import { listStatement } from './list-statement.js';
import { Names } from './names.js';

const count = 100_000;
const start = Date.UTC(2026, 0, 1);
/** One entry a minute. */
const timeOf = (seq: number) => new Date(start + seq * 60_000).toISOString();

describe('listing a large log', () => {
  let tables: TestDatabase;
  let database: Database;
  const list = (filter: AuditFilter, before?: number, limit = 50) => {
    // As it comes over the bus.
    const message = { input: { filter, limit, ...(before !== undefined && { before }) }, context: testContext() };
    return new ListEventsHandler(database, new Names(database)).handle(message as never, undefined as never);
  };

  beforeAll(async () => {
    tables = await createTestDatabase('audit', (url) => migrate('audit', url, migrations));
    await tables.query(
      `INSERT INTO audit.entry (org, seq, id, occurred_at, action, actor_id, outcome, from_provisional, leaf)
       SELECT org, seq, gen_random_uuid(), timestamptz 'epoch' + ($2::bigint + seq::bigint * 60000) * interval '1 millisecond',
         (ARRAY['subject.read', 'offer.create', 'subject.list', 'app.create'])[1 + (seq % 4)], 'app-' || seq % 50,
         CASE WHEN seq % 100 = 0 THEN 'denied' WHEN seq % 10 = 1 THEN 'failure' ELSE 'success' END, false,
         convert_to(json_build_object('id', seq, 'actor', json_build_object('type', 'app', 'id', 'app-' || seq % 50), 'targets', '[]'::json)::text, 'UTF8')
       FROM unnest(ARRAY['acme', 'other']) AS org, generate_series(1, $1) AS seq`,
      [count, start],
    );
    await tables.query(`INSERT INTO audit.entry_target SELECT org, 'target-' || seq % 1000, seq FROM audit.entry`);
    await tables.query('ANALYZE audit.entry, audit.entry_target');
    database = await Database.connect({ url: tables.url(), pool: 2, applicationName: 'test' });
  });
  afterAll(async () => {
    await database.close();
    await tables.drop();
  });

  const filters: [string, AuditFilter, string][] = [
    ['nothing', {}, 'entry_pkey'],
    ['action', { action: 'app.create' }, 'entry_action'],
    ['actor', { actor: 'app-7' }, 'entry_actor'],
    ['target', { target: 'target-7' }, 'entry_target_pkey'],
    ['outcome', { outcome: 'denied' }, 'entry_outcome'],
    ['a span of time', { from: timeOf(50_000), to: timeOf(50_100) }, 'entry_occurred'],
    ['the distant past', { to: timeOf(100) }, 'entry_occurred'],
  ];

  it.each(filters)('by %s goes by an index, from the beginning and in the middle', async (_, filter, index) => {
    for (const before of [undefined, 50_050]) {
      const { statement: { name, text }, values } = listStatement({ org: 'acme', filter, limit: 51, ...(before !== undefined && { before }) });
      // A named statement may get one plan for all values; the others are planned for theirs.
      const plan = name ? await database.rows(statement('', `EXPLAIN (GENERIC_PLAN) ${text}`)) : await database.rows(statement('', `EXPLAIN ${text}`), values);
      const lines = JSON.stringify(plan);
      expect(lines).not.toContain('Seq Scan');
      // For a span of time there are two good ways; the middle of the log is as near by place as by time.
      expect(lines).toMatch(name || before === undefined ? new RegExp(`${index}\\b`) : /entry_occurred|entry_pkey/);
      if (name) expect(lines).not.toContain('Sort');
    }
  });

  it('gives what every filter asks for, and no more', async () => {
    expect((await list({ action: 'app.create' })).items.map((e) => e.seq).slice(0, 3)).toEqual([99_999, 99_995, 99_991]);
    expect((await list({ actor: 'app-7', outcome: 'failure' })).items).toEqual([]);
    expect((await list({ actor: 'app-1', outcome: 'failure' })).items[0]!.seq).toBe(99_951);
    expect((await list({ target: 'target-7', from: timeOf(50_000), to: timeOf(52_007) })).items.map((e) => e.seq)).toEqual([51_007, 50_007]);
    expect((await list({ from: timeOf(99_999) })).items.map((e) => e.seq)).toEqual([100_000, 99_999]);
    expect((await list({ to: timeOf(3) })).items.map((e) => e.seq)).toEqual([2, 1]);
  });

  it('pages through all of it, each entry once', async () => {
    const seen: number[] = [];
    for (let before: number | undefined; ; ) {
      const page = await list({ outcome: 'denied' }, before, 200);
      seen.push(...page.items.map((e) => e.seq));
      if (page.next === undefined) break;
      before = page.next;
    }
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, i) => count - i * 100));
  });

  it('makes no statement of what a caller sends', async () => {
    const hostile = "x' OR true --";
    const { statement: made, values } = listStatement({ org: hostile, filter: { actor: hostile, target: hostile }, limit: 1 });
    expect(made.text).not.toContain('OR true');
    expect(values).toEqual([hostile, 1, hostile, hostile]);
    expect((await list({ actor: hostile })).items).toEqual([]);
  });
});
