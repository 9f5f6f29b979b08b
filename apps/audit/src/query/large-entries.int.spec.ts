import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  appendRecords,
  followAuditEvents,
  getAuditEvent,
  listAuditEvents,
  type AuditRecord,
} from '@holdfast/contracts';
import { Database, ReadDatabase, statement, type Sql } from '@holdfast/data';
import { testContext, type TestDatabase } from '@holdfast/testing';
import { RollUps } from '../analytics/roll-ups.js';
import {
  auditDatabase,
  auditKeys,
  decryptionBy,
  invoke,
  recordOf,
  replicaOf,
  startAudit,
  startAuditBus,
} from '../audit.fixture.js';
import { exportedEntries } from '../exported-entries/exported-entry.js';
import { LogPages } from '../exported-entries/log-pages.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { maxPageBytes } from './entry-decryption.js';
import { FollowEventsHandler } from './follow-events.handler.js';
import { ListEventsHandler } from './list-events.handler.js';
import { pageAfter } from './page-after.js';

/** As a version before the limit of a record has written them. */
const largeBytes = 160_000;
const count = 60;
const all = Array.from({ length: count }, (_, i) => i + 1);

const large = (): AuditRecord =>
  recordOf({
    action: 'app.update',
    changes: { note: { to: randomBytes(largeBytes * 0.75).toString('base64') } },
  });

const keys = auditKeys();
let tables: TestDatabase;
let replica: Awaited<ReturnType<typeof replicaOf>>;
let database: Database;
/** Bytes of the largest result that a statement has had. */
let largest = 0;

beforeAll(async () => {
  tables = await auditDatabase();
  replica = await replicaOf(tables, keys);
  // Every third entry is small.
  for (const seq of all) await replica.log.append([{ org: 'acme', record: seq % 3 === 0 ? recordOf() : large() }]);
  await replica.log.append([{ org: 'globex', record: recordOf() }]);
  database = await Database.connect({ url: tables.url(), pool: 4, applicationName: 'test' });
  const rows = database.rows.bind(database);
  database.rows = async (query, values) => {
    const found = await rows(query, values);
    const bytes = found
      .flatMap((row) => Object.values(row as Record<string, unknown>))
      .reduce<number>((sum, value) => sum + (Buffer.isBuffer(value) ? value.length : 0), 0);
    largest = Math.max(largest, bytes);
    return found as never;
  };
});
afterAll(async () => {
  await database.close();
  await replica.stop();
  await tables.drop();
});

describe('a page of large entries', () => {
  it('is limited by bytes in the statement, and the pages have every entry once, newest first', async () => {
    const reads = new ReadDatabase(database);
    const handler = new ListEventsHandler(reads, new PseudonymMappings(reads), decryptionBy(database, keys));
    const seen: number[] = [];
    largest = 0;
    for (let before: number | undefined; ;) {
      const page = await invoke(handler, { filter: {}, limit: 200, ...(before !== undefined && { before }) });
      expect(page.items.length).toBeGreaterThan(0);
      seen.push(...page.items.map(({ seq }) => seq));
      if (page.next === undefined) break;
      before = page.next;
    }
    expect(seen).toEqual(all.toReversed());
    expect(largest).toBeLessThanOrEqual(maxPageBytes);
  });

  it('is limited by bytes when it is followed, and has every entry once, oldest first', async () => {
    const reads = new ReadDatabase(database);
    const operator = { record: () => Promise.resolve() } as never;
    const handler = new FollowEventsHandler(
      reads,
      new PseudonymMappings(reads),
      decryptionBy(database, keys),
      operator,
    );
    const seen: number[] = [];
    largest = 0;
    for (let [after, hasMore] = [0, true]; hasMore;) {
      const page = await invoke(handler, { filter: {}, limit: 200, after, named: true });
      seen.push(...page.items.map(({ seq }) => seq));
      [after, hasMore] = [page.after, page.hasMore];
    }
    expect(seen).toEqual(all);
    expect(largest).toBeLessThanOrEqual(maxPageBytes);
  });

  it('has a single entry that is larger than a page', async () => {
    const record = recordOf({ changes: { note: { to: 'x'.repeat(maxPageBytes + 1) } } });
    await replica.log.append([
      { org: 'initech', record },
      { org: 'initech', record: recordOf() },
    ]);
    const first = await pageAfter(database, 'initech', { filter: {}, after: 0, limit: 10 });
    expect(first).toMatchObject({ entries: [{ seq: 1 }], found: 2, end: 2 });
    const second = await pageAfter(database, 'initech', { filter: {}, after: 1, limit: 10 });
    expect(second).toMatchObject({ entries: [{ seq: 2 }], found: 1 });
  });

  it('of a verifiable export is limited by bytes, and the pages have every entry once', async () => {
    const pages = new LogPages(database);
    const sizes: number[] = [];
    const seen: number[] = [];
    for (let after = 0; after < count; after = seen.at(-1)!) {
      const rows = await pages.read('acme', after, count, 500);
      sizes.push(rows.reduce((sum, row) => sum + ('leaf' in row ? row.leaf.length : 0), 0));
      const entries = await exportedEntries(decryptionBy(database, keys), 'acme', rows);
      expect(Buffer.byteLength(JSON.stringify(entries))).toBeLessThan(1_000_000);
      seen.push(...entries.map(({ seq }) => seq));
    }
    expect(seen).toEqual(all);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(400_000);
  });

  it('is counted by analytics as a whole log', async () => {
    const rollUps = new RollUps(database);
    while (await rollUps.countNext('acme'));
    expect(await rollUps.uncounted(['acme'])).toEqual([]);
  });
});

describe('reads of an organization with large entries', () => {
  const org = 'globex';
  const sleep = statement('test_sleep', 'SELECT pg_sleep(0.2)');

  it('leave connections to appends, also while every other one is taken', async () => {
    const pool = await Database.connect({ url: tables.url(), pool: 4, applicationName: 'shared' });
    const limited: Sql = pool.limitedTo(3);
    const taken = Array.from({ length: 12 }, () => limited.rows(sleep));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.pool).toMatchObject({ used: 3, waiting: 0 });
    await pool.rows(sleep);
    expect(pool.pool.waiting).toBe(0);
    await Promise.all(taken);
    await pool.close();
  });

  it('leave the reads and appends of another organization alone', async () => {
    const stack = await startAuditBus();
    const service = await startAudit(stack.nats, tables, keys);
    try {
      const isReading = { now: true };
      const codes: string[] = [];
      const readers = Array.from({ length: 20 }, async (_, i) => {
        for (let after = i; isReading.now; after = (after + 3) % count) {
          const request = { filter: {}, limit: 200, after, named: true };
          await stack.bus.request(followAuditEvents, request, testContext({ org: 'acme' })).then(
            () => codes.push('ok'),
            ({ code }: { code: string }) => codes.push(code),
          );
        }
      });
      for (let i = 0; i < 12; i += 1) {
        const record = recordOf();
        await stack.bus.request(appendRecords, { records: [{ org, record }] }, testContext({ org }));
        const context = testContext({ org });
        const { items } = await stack.bus.request(listAuditEvents, { filter: {}, limit: 50 }, context);
        expect(items[0]!.id).toBe(record.id);
        expect((await stack.bus.request(getAuditEvent, { id: record.id }, context)).id).toBe(record.id);
      }
      isReading.now = false;
      await Promise.all(readers);
      // Its own reads go on, or are refused as too many.
      expect(codes).toContain('ok');
      expect([...new Set(codes)].filter((code) => code !== 'ok' && code !== 'rate_limited')).toEqual([]);
    } finally {
      await service.stop();
      await stack.stop();
    }
  });
});
