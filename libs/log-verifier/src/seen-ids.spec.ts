import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { SeenIds } from './seen-ids.js';

test('add returns true once for each of many ids', () => {
  const ids = Array.from({ length: 20_000 }, () => randomUUID());
  const seen = new SeenIds();
  expect(ids.every((id) => seen.add(id))).toBe(true);
  expect(ids.some((id) => seen.add(id))).toBe(false);
});

test('add distinguishes ids with the same last group', () => {
  const seen = new SeenIds();
  expect(seen.add('019aa5f2-7c1f-7a42-8000-000000000000')).toBe(true);
  expect(seen.add('019aa5f2-7c1f-7a42-8001-000000000000')).toBe(true);
  expect(seen.add('019aa5f2-7c1f-7a42-8000-000000000000')).toBe(false);
});

test('add throws for text that is not a UUID', () => {
  for (const id of ['', 'x', '019AA5F2-7C1F-7A42-8000-000000000000', '019aa5f2-7c1f-7a42-8000-00000000000'])
    expect(() => new SeenIds().add(id)).toThrow('not a UUID');
});
