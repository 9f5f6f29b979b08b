import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@holdfast/testing';
import { migrate } from './migrate.js';
import { untilApplied } from './migrations-applied.js';

class First1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE first ()');
  }
  async down(): Promise<void> {}
}
class Second1765000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE second ()');
  }
  async down(): Promise<void> {}
}

let tables: TestDatabase;
beforeAll(async () => {
  tables = await createTestDatabase('signals', () => Promise.resolve());
});
afterAll(() => tables.drop());

it('waits until the last migration of the version is applied, also while there is no table of migrations', async () => {
  const lines: string[] = [];
  let isDone = false;
  const names = [First1764000000000.name, Second1765000000000.name];
  const waiting = untilApplied({ DATABASE_URL: tables.url() }, names, 'signals', (line) => lines.push(line)).then(
    () => {
      isDone = true;
    },
  );
  await migrate('signals', tables.ownerUrl, [First1764000000000]);
  await untilApplied({ DATABASE_URL: tables.url() }, names.slice(0, 1), 'signals', () => undefined);
  expect(isDone).toBe(false);
  await migrate('signals', tables.ownerUrl, [First1764000000000, Second1765000000000]);
  await waiting;
  expect(lines[0]).toContain('waiting for the migrations of signals');
});
