import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AnalyticsMetric } from '@holdfast/contracts';
import type { TestDatabase } from '@holdfast/testing';
import { auditDatabase } from '../audit.fixture.js';
import { generateLog } from '../query/generated-log.fixture.js';
import { analyticsStatement } from './analytics-statement.js';
import { bucketsOf, longRollUpMinutes, rollUpMinutes, type QueryRange } from './calendar.js';
import { selectNext } from './roll-ups.js';

const start = '2026-01-01T00:00:00Z';
/** Days of roll-ups that end with the days that are read. */
const days = { few: 40, many: 300 };
/** Of credentials, which are summed from the first day: a year, and ten of them. */
const historyDays = { few: 365, many: 3650 };

/** Four groups in each quarter of an hour, as after any number of entries. */
async function fill(tables: TestDatabase, count: number, history: number): Promise<void> {
  const lengths = rollUpMinutes.map((minutes) => `(${minutes})`).join(', ');
  const times = `(VALUES ${lengths}) AS l(minutes),
    generate_series('${start}'::timestamptz - interval '${count} days', '${start}',
      l.minutes * interval '1 minute') at`;
  await tables.query(
    `INSERT INTO audit.analytics_count (org, metric, minutes, at, app, credential_type, part, count)
     SELECT org, metric, l.minutes, at, 'app-' || app, 'member', '', 1
       FROM unnest('{acme,globex}'::text[]) org, unnest('{offers,claimed-offers}'::text[]) metric,
         generate_series(1, 2) app, ${times}`,
  );
  await tables.query(
    `INSERT INTO audit.analytics_count (org, metric, minutes, at, app, credential_type, part, count)
     SELECT org, 'credentials', l.minutes, date_bin(l.minutes * interval '1 minute', at, 'epoch'), 'app-' || app,
         'member', part, count(*)
       FROM unnest('{acme,globex}'::text[]) org, unnest('{offered,live,revoked}'::text[]) part,
         generate_series(1, 2) app, unnest('{${[1440, ...longRollUpMinutes].join()}}'::int[]) AS l(minutes),
         generate_series('${start}'::timestamptz - interval '${history} days', '${start}', interval '1 day') at
      GROUP BY 1, 3, 4, 5, 7`,
  );
  await tables.query(
    `INSERT INTO audit.analytics_sketch (org, minutes, at, sketch)
     SELECT 'acme', l.minutes, at, decode(repeat('00a0c7', 50), 'hex') FROM ${times}`,
  );
  for (const table of ['count', 'sketch']) await tables.query(`VACUUM ANALYZE audit.analytics_${table}`);
}

/** The form in which buffers() takes an array of times. */
function literal(value: unknown): unknown {
  return Array.isArray(value)
    ? value.map((each: unknown) => (each instanceof Date ? each.toISOString() : each))
    : value;
}

describe('reading analytics', () => {
  const databases = {} as Record<keyof typeof days, TestDatabase>;
  beforeAll(async () => {
    for (const size of ['few', 'many'] as const) {
      databases[size] = await auditDatabase();
      await fill(databases[size], days[size], historyDays[size]);
    }
  });
  afterAll(() => Promise.all(Object.values(databases).map((database) => database.drop())));

  it.each<[AnalyticsMetric, QueryRange['interval'], string]>([
    ['offers', 'day', 'UTC'],
    ['offers', 'day', 'Asia/Kathmandu'],
    ['claim-rate', 'hour', 'Europe/Berlin'],
    ['claim-rate', 'month', 'Europe/Berlin'],
    ['active-customers', 'week', 'America/New_York'],
    ['credentials', 'day', 'UTC'],
    ['credentials', 'week', 'America/New_York'],
  ])('%s by %s in %s reads as few buffers after years as after weeks', async (metric, interval, timezone) => {
    const range = { from: '2025-12-02T00:00:00Z', to: start, interval, timezone };
    const { statement, values } = analyticsStatement('acme', { metric }, bucketsOf(range));
    const [few, many] = await Promise.all(
      [databases.few, databases.many].map((tables) => tables.buffers(statement.text, values.map(literal))),
    );
    expect(many).toBeLessThanOrEqual(few! * 1.5 + 10);
  });
});

describe('counting', () => {
  it('reads as few buffers for the next entries of a large log as of a small one', async () => {
    const logs = [await generateLog(await auditDatabase(), 5000), await generateLog(await auditDatabase(), 50_000)];
    for (const place of [0, 2500]) {
      const [few, many] = await Promise.all(
        logs.map(({ tables }) => tables.buffers(selectNext.text, ['acme', place, 200])),
      );
      expect(many).toBeLessThanOrEqual(few! * 1.5 + 10);
    }
    await Promise.all(logs.map(({ tables }) => tables.drop()));
  });
});
