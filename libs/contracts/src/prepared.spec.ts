import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { contracts, preparedKinds, preparesNothing } from './index.js';

const prepared: string[] = Object.values(preparedKinds).flatMap(({ commands }): string[] => [...commands]);
const nothing = Object.values(preparesNothing).flat();
const commands = contracts
  .filter(({ kind, callers }) => kind === 'command' && callers.some((caller) => ['gateway', 'auth'].includes(caller)))
  .map(({ subject }) => subject.replace(/^rpc\./, ''));

test.each(Object.entries(preparedKinds))('what ends a prepared %s is tested', (_, { test: file }) => {
  expect(existsSync(fileURLToPath(new URL(`../../../${file}`, import.meta.url)))).toBe(true);
});

describe('every command that a caller of the API can have sent', () => {
  test('is listed with what it prepares, or with why it prepares nothing', () => {
    expect(commands.length).toBeGreaterThan(50);
    expect(commands.filter((command) => ![...prepared, ...nothing].includes(command))).toEqual([]);
  });

  test('is not listed as both, and exists', () => {
    expect(prepared.filter((command) => nothing.includes(command))).toEqual([]);
    expect([...prepared, ...nothing].filter((command) => !commands.includes(command))).toEqual([]);
    expect(nothing).toEqual([...new Set(nothing)]);
  });
});
