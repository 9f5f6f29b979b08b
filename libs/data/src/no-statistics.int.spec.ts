import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTestDatabase, eventually, type TestDatabase } from '@holdfast/testing';
import { migrate } from './migrate.js';

class Tables1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE person (name text, town text, born date)');
    await runner.query('CREATE INDEX person_lower ON person (town, lower(name))');
    await runner.query('CREATE TABLE visit (org text, note text) PARTITION BY LIST (org)');
    await runner.query(`CREATE TABLE visit_acme PARTITION OF visit FOR VALUES IN ('acme')`);
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

class Later1800000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE person ADD COLUMN phone text');
    await runner.query('CREATE STATISTICS person_towns (mcv) ON name, town FROM person');
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

describe('a migrated schema', () => {
  let tables: TestDatabase;
  const statistics = () => tables.query(`SELECT tablename, attname FROM pg_stats WHERE schemaname = 'issuance'`);
  beforeAll(async () => {
    tables = await createTestDatabase('issuance', (url) => migrate('issuance', url, [Tables1700000000000]));
    await tables.query(
      `INSERT INTO issuance.person SELECT 'Ada Canary', 'Lakeside', now() FROM generate_series(1, 300)`,
    );
    await tables.query(`INSERT INTO issuance.visit SELECT 'acme', 'Ada Canary' FROM generate_series(1, 300)`);
  });
  afterAll(() => tables.drop());

  it('has no planner statistics after ANALYZE: of no column, partition or expression of an index', async () => {
    await tables.query('ANALYZE');
    expect(await statistics()).toEqual([]);
  });

  it('has no statistics after a later migration removes those that it had, extended ones included', async () => {
    await tables.query('ALTER TABLE issuance.person ALTER name SET STATISTICS 100');
    await tables.query('ALTER INDEX issuance.person_lower ALTER COLUMN 2 SET STATISTICS 100');
    await tables.query('ANALYZE');
    expect(await statistics()).toEqual([
      { tablename: 'person', attname: 'name' },
      { tablename: 'person_lower', attname: 'lower' },
    ]);
    // VACUUM FULL keeps rows that were removed after any transaction of the server began, also one of another database.
    const url = new URL(tables.ownerUrl);
    url.pathname = '/postgres';
    const older = new pg.Client({ connectionString: url.href });
    await older.connect();
    await older.query('BEGIN; SELECT pg_current_xact_id()');
    const migrated = migrate('issuance', tables.ownerUrl, [Tables1700000000000, Later1800000000000]);
    await eventually(async () => expect(await statistics()).toEqual([]));
    await sleep(500);
    await older.end();
    await migrated;
    expect(await statistics()).toEqual([]);
    await tables.query('ANALYZE');
    expect(await statistics()).toEqual([]);
    expect(
      await tables.query(`SELECT stxname FROM pg_statistic_ext WHERE stxnamespace = 'issuance'::regnamespace`),
    ).toEqual([]);
    // Nor in the file, where a deleted row stays until the file is rewritten.
    await tables.query('CHECKPOINT');
    const [{ file }] = (await tables.query<{ file: Buffer }>(
      `SELECT pg_read_binary_file(pg_relation_filepath('pg_catalog.pg_statistic')) AS file`,
    )) as [{ file: Buffer }];
    expect([file.includes('Ada Canary'), file.includes('Lakeside')]).toEqual([false, false]);
  });
});
