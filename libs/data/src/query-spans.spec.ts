import { expect, it } from '@jest/globals';
import { statement } from './database.js';
import { summaryOf } from './query-spans.js';

it('the summary of a named statement is its name', () => {
  const { text } = statement('customer_by_id', 'SELECT 1 FROM customer WHERE id = $1');
  expect(summaryOf(text)).toBe('customer_by_id');
});

it.each([
  ['SELECT "App"."id" AS "App_id" FROM "directory"."app" "App" WHERE "App"."id" = $1', 'SELECT directory.app'],
  [`INSERT INTO "grant"("app") VALUES ('secret@example.com')`, 'INSERT grant'],
  ['UPDATE person SET name = $1', 'UPDATE person'],
  ['START TRANSACTION', 'START'],
  ["SELECT 'from secret@example.com'", 'SELECT'],
])('the summary of %s has operation and table only', (text, summary) => {
  expect(summaryOf(text)).toBe(summary);
});
