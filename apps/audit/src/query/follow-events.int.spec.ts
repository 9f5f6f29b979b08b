import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditFilter } from '@holdfast/contracts';
import { Database, ReadDatabase } from '@holdfast/data';
import {
  auditDatabase,
  auditKeys,
  customerTarget,
  decryptionBy,
  erasureOf,
  invoke,
  recordOf,
  replicaOf,
} from '../audit.fixture.js';
import type { OperatorRecords } from '../intake/operator-records.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { FollowEventsHandler } from './follow-events.handler.js';
import { generateLog, type GeneratedLog } from './generated-log.fixture.js';
import { listStatement } from './list-statement.js';

/** Requests of the gateway are recorded by the gateway. */
const notOperator = { record: () => Promise.resolve() } as unknown as OperatorRecords;
const handlerOf = (database: Database, keys = auditKeys()): FollowEventsHandler => {
  const reads = new ReadDatabase(database);
  return new FollowEventsHandler(reads, new PseudonymMappings(reads), decryptionBy(database, keys), notOperator);
};

describe('following a large log', () => {
  let small: GeneratedLog;
  let large: GeneratedLog;
  let database: Database;
  let handler: FollowEventsHandler;
  const follow = (filter: AuditFilter, after: number, limit = 50) =>
    invoke(handler, { filter, limit, after, named: true });

  beforeAll(async () => {
    small = await generateLog(await auditDatabase(), 10_000);
    large = await generateLog(await auditDatabase(), 50_000);
    database = await Database.connect({ url: large.tables.url(), pool: 2, applicationName: 'test' });
    handler = handlerOf(database);
  });
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
    ['a span of time', ({ count, timeOf }) => ({ from: timeOf(count / 2), to: timeOf(count / 2 + 1000) })],
  ];

  it.each(filters)(
    'by %s reads as few buffers of a large log as of a small one, from the beginning, the middle and the end',
    async (_, filterOf) => {
      for (const share of [0, 0.5, 1]) {
        const [few, many] = await Promise.all(
          [small, large].map((log) => {
            const after = log.count * share;
            const { statement, values } = listStatement({ org: 'acme', filter: filterOf(log), after, limit: 51 });
            return log.tables.buffers(statement.text, values);
          }),
        );
        expect(many).toBeLessThanOrEqual(few! * 1.5 + 5);
      }
    },
  );

  it.each(filters)('by %s returns in pages what the list returns, in the reverse order', async (_, filterOf) => {
    const filter = filterOf(large);
    const { statement, values } = listStatement({ org: 'acme', filter, limit: 100_000 });
    const listed = (await database.rows<{ seq: number }>(statement, values)).map(({ seq }) => seq).reverse();
    const from = listed[Math.max(0, listed.length - 450)]! - 1;
    const followed: number[] = [];
    for (let [after, hasMore] = [from, true]; hasMore;) {
      const page = await follow(filter, after, 200);
      followed.push(...page.items.map(({ seq }) => seq));
      [after, hasMore] = [page.after, page.hasMore];
      if (!hasMore) expect(after).toBe(large.count);
    }
    expect(followed).toEqual(listed.slice(-450));
  });

  it('at the end returns nothing, and the end', async () => {
    const empty = { items: [], after: large.count, hasMore: false };
    expect(await follow({}, large.count)).toEqual(empty);
    expect(await follow({ actor: 'nobody' }, large.count - 500)).toEqual(empty);
    expect(await invoke(handler, { filter: {}, limit: 50, named: true })).toEqual(empty);
  });

  it('after a place that does not exist yet stays there', async () => {
    expect(await follow({}, large.count + 7)).toEqual({ items: [], after: large.count + 7, hasMore: false });
  });
});

it('of a log without entries begins at 0', async () => {
  const tables = await auditDatabase();
  const database = await Database.connect({ url: tables.url(), pool: 2, applicationName: 'test' });
  try {
    const handler = handlerOf(database);
    expect(await invoke(handler, { filter: {}, limit: 50, named: false })).toEqual({
      items: [],
      after: 0,
      hasMore: false,
    });
    expect(await invoke(handler, { filter: {}, limit: 50, after: 0, named: false })).toEqual({
      items: [],
      after: 0,
      hasMore: false,
    });
  } finally {
    await database.close();
    await tables.drop();
  }
});

it('names customers by pseudonyms only, or by their ids with the pseudonym, until they are erased', async () => {
  const tables = await auditDatabase();
  const keys = auditKeys();
  const replica = await replicaOf(tables, keys);
  try {
    const handler = handlerOf(replica.database, keys);
    const ada = customerTarget();
    const origin = { address: '192.0.2.7', userAgent: 'Firefox' };
    const actor = { type: 'customer' as const, id: ada.id };
    const record = recordOf({ action: 'customer.sign_in', actor, targets: [ada] });
    await replica.log.append([{ org: 'acme', record: { ...record, request: { ...record.request, ...origin } } }]);
    const read = async (named: boolean) =>
      (await invoke(handler, { filter: {}, limit: 50, after: 0, named })).items.map(({ targets, request }) => ({
        ...targets[0],
        address: request.address,
      }));

    const [hidden] = await read(false);
    const pseudonym = hidden!.id;
    expect(hidden).toEqual({ type: 'customer', id: expect.not.stringMatching(ada.id), address: undefined });
    expect(await read(true)).toEqual([{ type: 'customer', id: ada.id, pseudonym, address: '192.0.2.7' }]);
    expect(
      (await invoke(handler, { filter: { target: ada.id }, limit: 50, after: 0, named: false })).items,
    ).toHaveLength(1);

    await replica.log.append([erasureOf(ada.id)]);
    const erased = { type: 'customer', id: pseudonym, address: undefined };
    expect(await read(false)).toEqual([erased, erased]);
    expect(await read(true)).toEqual([erased, erased]);
  } finally {
    await replica.stop();
    await tables.drop();
  }
});
