import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../setup/paths.mjs';

/** Rows of docs/known-faults.md: number, and the tests it names as [file, beginning of the test's name]. */
const rows = readFileSync(join(root, 'docs', 'known-faults.md'), 'utf8')
  .split('\n')
  .map((line) => line.split(' | '))
  .filter(([first]) => /^\| \d+$/.test(first ?? ''))
  .map((cells) => ({
    number: Number(cells[0]!.slice(2)),
    tests: [...cells.at(-1)!.matchAll(/`([^`]+\.spec\.ts)` "([^"]+)"/g)].map(
      ([, file, name]) => [file!, name!] as const,
    ),
  }));

test('the table has a row for each of the 45 faults, in order, and each row names a test', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 45 }, (_, i) => i + 1));
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

test('every test that the table names exists', () => {
  const sources = new Map<string, string>();
  const sourceOf = (file: string): string => {
    const path = join(root, file);
    const source = sources.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
    sources.set(file, source);
    return source;
  };
  // A test's name stands in its source as a string of one of three kinds, where an apostrophe may be escaped.
  const named = (file: string, name: string) =>
    ["'", '"', '`'].some((quote) =>
      sourceOf(file)
        .replaceAll("\\'", "'")
        .includes(quote + name),
    );
  const missing = rows.flatMap(({ number, tests }) =>
    tests.filter(([file, name]) => !named(file, name)).map(([file, name]) => `${number}: ${file} "${name}"`),
  );
  expect(missing).toEqual([]);
});
