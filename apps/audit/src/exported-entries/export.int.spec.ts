import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@holdfast/data';
import { auditDatabase } from '../audit.fixture.js';
import { generateLog, type GeneratedLog } from '../query/generated-log.fixture.js';
import {
  isEntryRow,
  LogPages,
  maxEntries,
  selectEntries,
  selectEntriesBehindHead,
  selectLeaves,
  selectTargets,
} from './log-pages.js';

/** With AUDIT_ROWS=1000000 the large log has a million entries. */
const rows = Number(process.env.AUDIT_ROWS ?? 50_000);
const pageSize = 500;

describe('a page of an export', () => {
  let small: GeneratedLog;
  let large: GeneratedLog;
  let database: Database;
  let pages: LogPages;
  const read = (after: number, size = rows, limit = pageSize) => pages.read('acme', after, size, limit);

  beforeAll(async () => {
    small = await generateLog(await auditDatabase(), 10_000);
    large = await generateLog(await auditDatabase(), rows);
    database = await Database.connect({ url: large.tables.url(), pool: 2, applicationName: 'test' });
    pages = new LogPages(database);
  }, 3_600_000);
  afterAll(async () => {
    await database.close();
    await small.tables.drop();
    await large.tables.drop();
  });

  it.each([
    ['at the beginning', () => 0],
    ['in the middle', (count: number) => count / 2],
    ['at the end', (count: number) => count - pageSize],
  ])('reads as few buffers of a large log as of a small one, %s', async (where, afterOf) => {
    const [few, many] = await Promise.all([small, large].map((log) => buffersOf(log, afterOf(log.count))));
    if (process.env.AUDIT_ROWS)
      process.stdout.write(`${where}: ${few} buffers of ${small.count} entries, ${many} of ${large.count}\n`);
    expect(many).toBeLessThanOrEqual(few! * 1.2 + 20);
    // About two for the targets of each entry, and one lookup in each partition.
    expect(many).toBeLessThan(2000);
  });

  it('contains every leaf once, with its entry and targets, when read page by page', async () => {
    const seen: number[] = [];
    for (let after = 0; after < 3000; after = seen.at(-1)!) {
      const page = (await read(after)).filter(isEntryRow);
      for (const { seq, action, targets } of page)
        expect([action, targets]).toEqual([
          ['subject.read', 'offer.create', 'subject.list', 'app.create'][seq % 4],
          [`target-${seq % 100}`],
        ]);
      seen.push(...page.map(({ seq }) => seq));
    }
    expect(seen).toEqual(Array.from({ length: 3000 }, (_, i) => i + 1));
  });

  it('shows inserted rows beside those that belong there, and at most two rows per leaf of a page', async () => {
    const insertCopies = (seq: number, times: number, month = 'month') =>
      large.tables.query(
        `INSERT INTO audit.entry
         SELECT e.org, e.seq, e.class, ${month}, e.occurred_at, e.action, e.actor_id, e.outcome,
                e.personal_data_key_id, e.personal_data, e.leaf
           FROM audit.entry e, generate_series(1, $2) WHERE e.seq = $1`,
        [seq, times],
      );
    await insertCopies(4001, 1);
    await insertCopies(4002, 1, '2026 * 12 + 6');
    expect((await read(4000, rows, 3)).map((row) => [row.seq, row.id !== ''])).toEqual([
      [4001, true],
      [4001, false],
      [4002, true],
      [4002, false],
      [4003, true],
    ]);
    await insertCopies(4300, 2000);
    const page = await read(4000);
    expect(page.length).toBeLessThanOrEqual(maxEntries);
    expect(page.at(-1)!.seq).toBe(4299);
    // When the rows of one seq fill a page, the page has the first of them and the next page continues behind it.
    const full = await read(4299);
    expect(full.length).toBeGreaterThan(maxEntries / 2);
    expect(new Set(full.map(({ seq }) => seq))).toEqual(new Set([4300]));
    expect((await read(4300))[0]!.seq).toBe(4301);
  });

  it('makes a drop of partitions wait until the targets of its entries are read', async () => {
    const [{ partition } = { partition: '' }] = await small.tables.query<{ partition: string }>(
      'SELECT tableoid::regclass::text AS partition FROM audit.entry WHERE seq = 1',
    );
    const drop = `DO $do$ BEGIN
      SET LOCAL lock_timeout = '200ms'; DROP TABLE ${partition}, ${partition.replace('entry_', 'entry_target_')};
    END $do$`;
    const reader = await Database.connect({ url: small.tables.url(), pool: 1, applicationName: 'test' });
    const transaction = reader.transaction.bind(reader);
    const errors: unknown[] = [];
    reader.transaction = (work) =>
      transaction((sql) => {
        const rows: typeof sql.rows = async (statement, values) => {
          if (statement.name === selectTargets.name)
            errors.push(await small.tables.query(drop).catch((error: { code?: string }) => error.code));
          return sql.rows(statement, values);
        };
        return work({ ...sql, rows });
      });
    const page = await new LogPages(reader).read('acme', 0, small.count, 10);
    await reader.close();
    // lock_not_available: without lock_timeout the drop would have waited.
    expect(errors).toEqual(['55P03']);
    expect(page.filter(isEntryRow).map(({ targets }) => targets.length)).toEqual(Array.from({ length: 10 }, () => 1));
  });

  it('shows entries behind the head on the last page only', async () => {
    await large.tables.query(
      `INSERT INTO audit.entry
       SELECT org, seq + 10, class, month, occurred_at, action, actor_id, outcome,
              personal_data_key_id, personal_data, leaf
         FROM audit.entry WHERE seq = $1`,
      [rows],
    );
    expect((await read(rows - 2)).map((row) => [row.seq, row.id !== ''])).toEqual([
      [rows - 1, true],
      [rows, true],
      [rows + 10, false],
    ]);
    expect((await read(rows - 1000)).at(-1)!.seq).toBe(rows - 500);
  });
});

/** Of all statements of one page. */
async function buffersOf({ tables, count }: GeneratedLog, after: number): Promise<number> {
  const entries = await tables.query<{ seq: string; class: string; month: number }>(
    'SELECT seq, class, month FROM audit.entry WHERE seq > $1 ORDER BY seq LIMIT $2',
    [after, pageSize],
  );
  const targets = [
    'acme',
    entries.map((_, n) => n),
    entries.map((e) => Number(e.seq)),
    entries.map((e) => e.class),
    entries.map((e) => e.month),
  ];
  let buffers = 0;
  for (const [{ text }, values] of [
    [selectLeaves, ['acme', after, count, pageSize]],
    [selectEntries, ['acme', after, after + pageSize]],
    [selectTargets, targets],
    [selectEntriesBehindHead, ['acme', count]],
  ] as const)
    buffers += await tables.buffers(text, values);
  return buffers;
}
