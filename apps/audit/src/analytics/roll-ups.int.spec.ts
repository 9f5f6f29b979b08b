import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  analyticsMetricNames,
  analyticsMetrics,
  readAnalytics,
  type Analytics,
  type AnalyticsGroup,
  type AnalyticsMetric,
} from '@holdfast/contracts';
import { Database, ReadDatabase, type Transaction } from '@holdfast/data';
import { randomSequence, testContext, type RandomSequence, type TestDatabase } from '@holdfast/testing';
import { auditDatabase, auditKeys, erasureOf, invoke, replicaOf } from '../audit.fixture.js';
import { bucketsOf } from './calendar.js';
import { recordOfStep, steps } from './random-log.fixture.js';
import { ReadAnalyticsHandler } from './read-analytics.handler.js';
import { Recount } from './recount.fixture.js';
import { RollUps } from './roll-ups.js';
import type { LoggedLeaf } from './tally.js';

type Query = Omit<Parameters<ReadAnalyticsHandler['handle']>[0], 'metric'>;
const range = { from: '2026-10-24T00:00:00Z', to: '2026-10-26T00:00:00Z', timezone: 'UTC' } as const;

describe('roll-ups of a random log', () => {
  let tables: TestDatabase;
  let replica: Awaited<ReturnType<typeof replicaOf>>;
  let other: Database;
  let run = 0;
  let org: string;

  beforeAll(async () => {
    tables = await auditDatabase();
    replica = await replicaOf(tables, auditKeys());
    other = await Database.connect({ url: tables.url(), pool: 2, applicationName: 'other' });
  });
  afterAll(async () => {
    await replica.stop();
    await other.close();
    await tables.drop();
  });
  beforeEach(() => void (org = `org-${(run += 1)}`));

  const read = async (metric: AnalyticsMetric, query: Partial<Query> = {}): Promise<Analytics> => {
    const request = readAnalytics.request.parse({ ...range, ...query, metric });
    const handler = new ReadAnalyticsHandler(new ReadDatabase(replica.database));
    return readAnalytics.reply.parse(await invoke(handler, request, testContext({ org })));
  };
  const recount = async (): Promise<Recount> => {
    const stored = await tables.query<{ leaf: Buffer }>('SELECT leaf FROM audit.entry WHERE org = $1 ORDER BY seq', [
      org,
    ]);
    return new Recount(stored.map(({ leaf }) => JSON.parse(leaf.toString()) as LoggedLeaf));
  };
  /** A replica that is killed at random: before a batch commits, or before it knows of the commit. */
  const failing = (database: Database, random: RandomSequence): RollUps => {
    const work = (given: (sql: Transaction) => Promise<unknown>) =>
      database.transaction((sql) =>
        given({
          rows: (...query) => sql.rows(...query),
          last: async (...query) => {
            if (random(10) < 3) throw new Error('killed before the commit');
            const rows = await sql.last(...query);
            if (random(10) < 3) throw new Error('killed after the commit');
            return rows as never;
          },
        }),
      );
    return new RollUps({ transaction: work, rows: database.rows.bind(database) } as unknown as Database);
  };
  const countAll = async (random?: RandomSequence) => {
    const counting = [replica.database, other].map(async (database) => {
      const rollUps = random ? failing(database, random) : new RollUps(database);
      rollUps.batchSize = 7;
      for (let isBehind = true; isBehind;) {
        await rollUps.countNext(org).catch((error: Error) => expect(error.message).toMatch(/^killed/));
        isBehind = (await rollUps.uncounted()).some((log) => log.org === org);
      }
    });
    await Promise.all(counting);
  };

  it(
    'equal a recount of the log, with late entries, two replicas at once, and kills',
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(steps, { minLength: 1, maxLength: 3 }),
          fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns'),
          fc.constantFrom('hour' as const, 'day' as const, 'month' as const),
          fc.integer(),
          async (parts, timezone, interval, seed) => {
            const random = randomSequence(seed);
            org = `org-${(run += 1)}`;
            for (const part of parts) {
              await replica.log.append(part.map((step) => ({ org, record: recordOfStep(step) })));
              await countAll(random);
            }
            await assertEqual({ ...range, timezone, interval });
          },
        ),
        { numRuns: 12, endOnFailure: true },
      ),
    60_000,
  );

  it('keep their numbers when a customer is erased, and name nobody', async () => {
    org = 'acme';
    const step = { app: 0, type: 0, atMinutes: 60, count: 1, customer: 1 };
    const of = (kind: Parameters<typeof recordOfStep>[0]['kind'], customer: number, atMinutes: number) => ({
      org,
      record: recordOfStep({ ...step, kind, customer, atMinutes }, 'erased-'),
    });
    const done = ['offer', 'claim', 'sign-in', 'offer', 'claim'] as const;
    await replica.log.append(done.map((kind, n) => of(kind, n < 3 ? 1 : 2, 60 + n)));
    await countAll();
    const numbers = async () => {
      const metrics = ['offers', 'claims', 'claim-rate', 'time-to-claim', 'active-customers'] as const;
      return Promise.all(metrics.map(async (metric) => (await read(metric)).series));
    };
    const before = await numbers();
    expect((await read('credentials')).series[0]!.values.at(-1)).toMatchObject({ live: 2 });
    const names = await tables.query<{ value: string; pseudonym: string }>(
      "SELECT value, pseudonym FROM audit.pseudonym_mapping WHERE org = 'acme' AND data_subject = 'customer-erased-1'",
    );
    expect(names.map(({ value }) => value).sort()).toEqual([
      'credential-erased-1-0',
      'customer-erased-1',
      'offer-erased-1-0',
    ]);

    await replica.log.append([erasureOf('customer-erased-1')]);
    // A record that was delayed comes after the erasure.
    await replica.log.append([of('claim', 1, 60)]);
    await countAll();
    expect(
      (await read('credentials', { to: new Date(Date.now() + 86_400_000).toISOString() })).series[0]!.values.at(-1),
    ).toEqual({ offered: 0, live: 1, suspended: 0, expired: 0, revoked: 0 });
    expect((await numbers()).filter((_, n) => n === 0 || n === 2 || n === 3)).toEqual(
      before.filter((_, n) => n === 0 || n === 2 || n === 3),
    );
    for (const table of ['cursor', 'count', 'sketch', 'credential']) {
      const rows = await tables.query<{ row: string }>(`SELECT t::text AS row FROM audit.analytics_${table} t`);
      for (const { value, pseudonym } of names)
        expect([table, rows.filter(({ row }) => row.includes(value) || row.includes(pseudonym))]).toEqual([table, []]);
    }
  });

  it('count credentials of years ago in long roll-ups, also after a version without them has counted', async () => {
    org = 'initech';
    const firstDay = Date.parse('2023-01-15T10:00:00Z');
    const offerOn = (day: number) => ({
      org,
      record: {
        ...recordOfStep({ kind: 'offer', app: 0, type: 0, atMinutes: 0, count: 1, customer: day }, 'old-'),
        occurredAt: new Date(firstDay + day * 86_400_000).toISOString(),
      },
    });
    const offered = async (from: string) => {
      const query = { from, to: '2026-10-25T00:00:00Z', timezone: 'UTC', interval: 'month' } as const;
      return (await read('credentials', query)).series[0]!.values.at(0) as { offered: number };
    };
    const longCount = () =>
      tables.query<{ total: number }>(
        `SELECT minutes, sum(count)::int AS total FROM audit.analytics_count
          WHERE org = $1 AND metric = 'credentials' AND minutes > 1440 GROUP BY 1 ORDER BY 1`,
        [org],
      );
    await replica.log.append(Array.from({ length: 40 }, (_, n) => offerOn(n * 30)));
    await countAll();
    expect(await longCount()).toEqual([
      { minutes: 23_040, total: 40 },
      { minutes: 368_640, total: 40 },
    ]);
    expect(await offered('2026-10-01T00:00:00Z')).toMatchObject({ offered: 40 });
    // The offers of the first 290 days.
    expect(await offered('2023-10-01T00:00:00Z')).toMatchObject({ offered: 10 });

    await tables.query(
      "DELETE FROM audit.analytics_count WHERE org = 'initech' AND minutes > 1440 AND at > '2024-01-01'",
    );
    await tables.query("UPDATE audit.analytics_cursor SET long_seq = 20 WHERE org = 'initech'");
    expect(await offered('2026-10-01T00:00:00Z')).toMatchObject({ offered: 40 });
    await replica.log.append([offerOn(1201)]);
    await countAll();
    expect((await longCount()).map(({ total }) => total)).toEqual([41, 41]);
    expect(await offered('2026-10-01T00:00:00Z')).toMatchObject({ offered: 41 });
  });

  const assertEqual = async (query: Query) => {
    const counted = await recount();
    const bounds = bucketsOf(query);
    for (const metric of analyticsMetricNames) {
      if (metric === 'time-to-claim' || metric === 'credentials') continue;
      const { series } = await read(metric, query);
      expect([metric, series]).toEqual([metric, [{ values: counted.values(metric, bounds) }]]);
      for (const groupBy of analyticsMetrics[metric].groups as readonly AnalyticsGroup[]) {
        const grouped = (await read(metric, { ...query, groupBy })).series.filter(({ group }) => group !== undefined);
        for (const { group, values } of grouped)
          expect([metric, group, values]).toEqual([metric, group, counted.values(metric, bounds, groupBy, group)]);
      }
    }
    const all = (await read('credentials', { ...query, to: '2026-10-28T00:00:00Z' })).series[0]!.values;
    expect(all.at(-1)).toEqual(counted.states());
    const spans = (await read('time-to-claim', query)).series[0]!.values as { count: number; p50Ms?: number }[];
    spans.forEach(({ count, p50Ms = 0 }, bucket) => {
      const durations = counted.durations(bounds[bucket]!, bounds[bucket + 1]!).map((ms) => Math.max(1, ms));
      const median = durations[Math.ceil(durations.length / 2) - 1] ?? 0;
      expect(count).toBe(durations.length);
      expect(Math.abs(p50Ms - median)).toBeLessThanOrEqual(0.05 * median + 1);
    });
  };
});
