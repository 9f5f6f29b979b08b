import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent, AuditFilter } from '@holdfast/contracts';
import { Database, ReadDatabase } from '@holdfast/data';
import { auditDatabase, decryptionBy, invoke } from '../audit.fixture.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { generateLog, type GeneratedLog } from './generated-log.fixture.js';
import { ListEventsHandler } from './list-events.handler.js';
import { listStatement } from './list-statement.js';

/**
 * For 10 million, which takes half an hour: AUDIT_ROWS=10000000 node tools/test.mjs integration --
 * apps/audit/src/query/list-events
 */
const rows = Number(process.env.AUDIT_ROWS ?? 50_000);

describe('listing a large log', () => {
  let small: GeneratedLog;
  let large: GeneratedLog;
  let database: Database;
  let reads: ReadDatabase;
  const list = (filter: AuditFilter, before?: number, limit = 50) =>
    invoke(new ListEventsHandler(reads, new PseudonymMappings(reads), decryptionBy(database)), {
      filter,
      limit,
      ...(before !== undefined && { before }),
    });
  const seqs = ({ items }: { items: AuditEvent[] }) => items.map((e) => e.seq);

  beforeAll(async () => {
    small = await generateLog(await auditDatabase(), 10_000);
    large = await generateLog(await auditDatabase(), rows);
    database = await Database.connect({ url: large.tables.url(), pool: 2, applicationName: 'test' });
    reads = new ReadDatabase(database);
  }, 3_600_000);
  afterAll(async () => {
    await database.close();
    await small.tables.drop();
    await large.tables.drop();
  });

  const filters: [string, (log: GeneratedLog) => AuditFilter][] = [
    ['nothing', () => ({})],
    ['action', () => ({ action: 'app.create' })],
    ['actor', () => ({ actor: 'app-7' })],
    ['target', () => ({ target: 'target-7' })],
    ['outcome', () => ({ outcome: 'denied' })],
    ['actor and outcome', () => ({ actor: 'app-1', outcome: 'failure' })],
    ['a span of time', ({ count, timeOf }) => ({ from: timeOf(count / 2), to: timeOf(count / 2 + 1000) })],
    ['the distant past', ({ timeOf }) => ({ to: timeOf(300) })],
    ['a recent action', ({ count, timeOf }) => ({ from: timeOf(count - 300), action: 'app.create' })],
  ];

  it.each(filters)(
    'by %s reads as few buffers of a large log as of a small one, from the beginning and in the middle',
    async (name, filterOf) => {
      for (const middle of [false, true]) {
        const [few, many] = await Promise.all(
          [small, large].map((log) => buffersOf(log, filterOf(log), middle ? log.count / 2 + 500 : undefined)),
        );
        if (process.env.AUDIT_ROWS)
          process.stdout.write(
            `${name}${middle ? ', in the middle' : ''}: ${few} buffers of ${small.count} entries, ` +
              `${many} of ${large.count}\n`,
          );
        expect(many).toBeLessThanOrEqual(few! * 1.5 + 5);
      }
    },
  );

  it('returns exactly the entries that match each filter', async () => {
    const { count, timeOf } = large;
    expect(seqs(await list({ action: 'app.create' }, undefined, 3))).toEqual([count - 1, count - 5, count - 9]);
    expect(seqs(await list({ actor: 'app-7', outcome: 'failure' }))).toEqual([]);
    expect(seqs(await list({ actor: 'app-1', outcome: 'failure' }, undefined, 1))).toEqual([count - 49]);
    expect(seqs(await list({ target: 'target-7', from: timeOf(20_000), to: timeOf(20_207) }))).toEqual([
      20_107, 20_007,
    ]);
    expect(seqs(await list({ from: timeOf(count - 1), outcome: 'success' }))).toEqual([count - 1]);
    expect(seqs(await list({ to: timeOf(3) }))).toEqual([2, 1]);
  });

  it('finds a late entry by its time, at both ends of a time span', async () => {
    const { timeOf } = large;
    const late = (await list({ outcome: 'denied', from: timeOf(19_000), to: timeOf(20_001) })).items.filter(
      (e) => e.seq % 1000 === 0,
    );
    expect(late.map((e) => e.seq)).toEqual([20_000]);
    // Its time is a minute earlier than those of the entries around it.
    const from = new Date(Date.parse(timeOf(20_000)) - 60_000).toISOString();
    expect(seqs(await list({ from, to: new Date(Date.parse(from) + 1).toISOString() }))).toEqual([20_000]);
  });

  it('returns each entry once when paging through all months', async () => {
    const seen: number[] = [];
    for (let before: number | undefined; ;) {
      const page = await list({ outcome: 'denied' }, before, 200);
      seen.push(...seqs(page));
      if (page.next === undefined) break;
      before = page.next;
    }
    expect(seen).toEqual(Array.from({ length: large.count / 100 }, (_, i) => large.count - i * 100));
  });

  it('never puts values of a caller into a statement', async () => {
    const hostile = "x' OR true --";
    const { statement: made, values } = listStatement({
      org: hostile,
      filter: { actor: hostile, target: hostile },
      limit: 1,
    });
    expect(made.text).not.toContain('OR true');
    expect(values).toEqual([hostile, 1, hostile, hostile]);
    expect((await list({ actor: hostile })).items).toEqual([]);
  });
});

/** Of a page of 50. */
function buffersOf({ tables }: GeneratedLog, filter: AuditFilter, before?: number): Promise<number> {
  const {
    statement: { text },
    values,
  } = listStatement({ org: 'acme', filter, limit: 51, ...(before !== undefined && { before }) });
  return tables.buffers(text, values);
}
