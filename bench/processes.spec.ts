import { expect, test } from '@jest/globals';
import { cpuOfTree, parsePss, parseStat, pidsOfTree } from './processes.ts';

test('parses the fields of a command with spaces and brackets', () => {
  const rest = 'S 10 42 42 0 -1 4194560 1 2 3 4 50 7 5 6 20 0 1 0 12345';
  expect(parseStat(`42 (post (gres) x) ${rest}`)).toEqual({ pid: 42, parent: 10, own: 57, ended: 11 });
});

test('counts descendants and ended children of a process', () => {
  const all = [
    { pid: 1, parent: 0, own: 1, ended: 2 },
    { pid: 2, parent: 1, own: 3, ended: 0 },
    { pid: 3, parent: 2, own: 4, ended: 0 },
    { pid: 9, parent: 0, own: 100, ended: 0 },
  ];
  expect(cpuOfTree(1, all)).toBe(10 * 10_000);
  expect(pidsOfTree(1, all)).toEqual([1, 2, 3]);
  expect(cpuOfTree(7, all)).toBe(0);
});

test('parses PSS in bytes', () => {
  expect(
    parsePss('aaaa-bbbb ---p 0 00:00 0 [rollup]\nRss:     900 kB\nPss:                1234 kB\nPss_Dirty:   1 kB\n'),
  ).toBe(1234 * 1024);
  expect(parsePss('')).toBe(0);
});
