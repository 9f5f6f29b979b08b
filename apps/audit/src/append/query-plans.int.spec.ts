import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Statement } from '@holdfast/data';
import type { TestDatabase } from '@holdfast/testing';
import { auditDatabase } from '../audit.fixture.js';
import { deleteAppendedCounts, deleteWithoutLog, postponeCounts } from '../denied-requests/denied-request-counts.js';
import { postponeRecords, quarantineRecords } from '../quarantine/pending-records.js';

const rows = { few: 1000, many: 30_000 };

describe('a statement about pending records reads as few buffers of a large table as of a small one', () => {
  const databases = {} as Record<keyof typeof rows, TestDatabase>;

  beforeAll(async () => {
    for (const size of ['few', 'many'] as const) {
      databases[size] = await auditDatabase();
      const query = (sql: string) => databases[size].query(sql);
      await query(
        `INSERT INTO audit.pending_record (org, id, record, due_at, quarantined, attempts)
         SELECT 'org-' || i / 10, gen_random_uuid(), '{}', now() + interval '1 day', i % 2 = 0, i % 7
           FROM generate_series(1, ${rows[size]}) i`,
      );
      await query(
        `INSERT INTO audit.denied_request_count (org, id, source, count, record, due_at)
         SELECT 'org-' || i / 10, gen_random_uuid(), gen_random_uuid(), 1, '{}', now() + interval '1 day'
           FROM generate_series(1, ${rows[size]}) i`,
      );
      await query(
        `INSERT INTO audit.head (org, seq) SELECT 'org-' || i, 0 FROM generate_series(1, ${rows[size] / 10}) i`,
      );
      for (const table of ['pending_record', 'denied_request_count', 'head'])
        await query(`VACUUM ANALYZE audit.${table}`);
    }
  });
  afterAll(() => Promise.all(Object.values(databases).map((database) => database.drop())));

  const selectSome = (size: keyof typeof rows, table: string) =>
    databases[size].query<{ org: string; id: string }>(
      `SELECT org, id::text FROM audit.${table} WHERE org IN ('org-7', 'org-8') ORDER BY org, id LIMIT 12`,
    );
  const array = (values: string[]) => `{${values.join(',')}}`;
  const now = new Date().toISOString();
  const cases: [Statement, string, (orgs: string, ids: string) => unknown[]][] = [
    [postponeRecords, 'pending_record', (orgs, ids) => [orgs, ids, '{org-3,org-4}', now, 1]],
    [quarantineRecords, 'pending_record', () => ['{org-3,new}', array([randomUUID(), randomUUID()]), '{a,b}', now, '']],
    [deleteAppendedCounts, 'denied_request_count', (orgs, ids) => [orgs, ids]],
    [postponeCounts, 'denied_request_count', (orgs, ids) => [orgs, ids, now, 1]],
    [deleteWithoutLog, 'denied_request_count', () => [new Date(Date.now() - 600_000).toISOString()]],
  ];

  it.each(cases.map(([statement, ...rest]) => [statement.name, statement, ...rest] as const))(
    '%s',
    async (_, statement, table, valuesOf) => {
      const buffers: number[] = [];
      for (const size of ['few', 'many'] as const) {
        const selected = await selectSome(size, table);
        const values = valuesOf(array(selected.map((row) => row.org)), array(selected.map((row) => row.id)));
        buffers.push(await databases[size].buffers(statement.text, values));
      }
      expect(buffers[1]).toBeLessThanOrEqual(buffers[0]! * 1.5 + 10);
    },
  );
});
