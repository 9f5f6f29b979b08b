import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Statement } from '@holdfast/data';
import type { TestDatabase } from '@holdfast/testing';
import { selectUncountedOf } from '../analytics/roll-ups.js';
import { auditDatabase } from '../audit.fixture.js';
import { selectUnsignedOf } from '../transparency/checkpoint-publisher.js';
import { claimDue } from '../transparency/cosignatures.js';

const logs = { few: 1000, many: Number(process.env.AUDIT_LOGS ?? 20_000) };

describe('a statement about logs that have changed reads as few buffers of many logs as of few', () => {
  const databases = {} as Record<keyof typeof logs, TestDatabase>;

  beforeAll(async () => {
    for (const size of ['few', 'many'] as const) {
      databases[size] = await auditDatabase();
      const series = `FROM generate_series(1, ${logs[size]}) i`;
      const query = (sql: string) => databases[size].query(sql);
      await query(`INSERT INTO audit.head (org, seq) SELECT 'org-' || i, 10 ${series}`);
      await query(`INSERT INTO audit.checkpoint (org, size, note) SELECT 'org-' || i, 10, repeat('x', 250) ${series}`);
      await query(`INSERT INTO audit.analytics_cursor (org, seq) SELECT 'org-' || i, 10 ${series}`);
      await query(
        `INSERT INTO audit.cosignature (org, witness, tried_at, size)
         SELECT 'org-' || i, 'one.example', 'epoch', 10 ${series}`,
      );
      for (const table of ['head', 'checkpoint', 'analytics_cursor', 'cosignature'])
        await query(`VACUUM ANALYZE audit.${table}`);
    }
  });
  afterAll(() => Promise.all(Object.values(databases).map((database) => database.drop())));

  const changed = '{org-7,org-8,org-500,new}';
  it.each<[string, Statement, unknown[]]>([
    ['signing', selectUnsignedOf, [changed]],
    ['counting', selectUncountedOf, [changed]],
    ['cosigning', claimDue, ['one.example', new Date().toISOString(), 60_000, changed]],
  ])('%s', async (_, { text }, values) => {
    const [few, many] = await Promise.all(Object.values(databases).map((database) => database.buffers(text, values)));
    expect(many).toBeLessThanOrEqual(few! * 1.5 + 10);
  });
});
