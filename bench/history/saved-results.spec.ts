import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { savedCase, savedResult } from './fixture.ts';
import { machineId, thisMachine } from './machine.ts';
import { savedCases } from './saved-requests.ts';
import { fileNameOf, findResult, readResult, readResults, resultsFolder, saveResult } from './saved-results.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'results-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const lot = { date: '2026-11-23T12:00:00.000Z', loadBefore: 1, points: [{ size: 1, figures: { 'CPU µs': 1 / 3 } }] };

test('every file of bench/results is a result under its own name', () => {
  expect(readdirSync(resultsFolder).filter((name) => name.endsWith('.json'))).toEqual(
    readResults().map(fileNameOf).sort(),
  );
});

test('a result of the same commit and machine replaces only what was measured again', () => {
  const first = savedResult([savedCase('get', 100)], { growth: { log: lot } });
  saveResult(first, folder);
  const { requests: _, ...withoutRequests } = first;
  const path = saveResult({ ...withoutRequests, growth: { customers: lot } }, folder);
  expect(readdirSync(folder)).toEqual(['aaaaaaaaaaaa-00c0ffee.json']);
  const { requests, growth } = readResult(path);
  expect(requests?.cases.map(({ name }) => name)).toEqual(['get']);
  expect(Object.keys(growth!)).toEqual(['log', 'customers']);
  expect(growth!.log!.points[0]!.figures).toEqual({ 'CPU µs': 0.3333 });
});

test('a file with an unknown or missing member is rejected with its name', () => {
  const path = join(folder, 'x.json');
  writeFileSync(path, JSON.stringify({ ...savedResult([]), hostname: 'host' }));
  expect(() => readResult(path)).toThrow(/x\.json is no result of the benchmark .*hostname/s);
  writeFileSync(path, JSON.stringify({ ...savedResult([]), machine: undefined }));
  expect(() => readResult(path)).toThrow('machine');
});

test('a result is found by its file or commit; none and several are explained', () => {
  const first = savedResult([], { commit: '1'.repeat(40) });
  const path = saveResult(first, folder);
  expect(findResult(path, folder)).toEqual(first);
  expect(findResult('1'.repeat(12), folder)).toEqual(first);
  expect(() => findResult('2'.repeat(12), folder)).toThrow('--save');
  saveResult({ ...first, machine: { ...first.machine, id: '11111111' } }, folder);
  expect(() => findResult('1'.repeat(12), folder)).toThrow('Name one of');
});

test('a machine is described by CPU, cores and memory alone, and its id depends on each', () => {
  expect(Object.keys(thisMachine())).toEqual(['id', 'cpu', 'cores', 'memoryGb']);
  const of = { cpu: 'Example', cores: 2, memoryGb: 8 };
  const others = [{ cpu: 'Other' }, { cores: 4 }, { memoryGb: 16 }].map((change) => machineId({ ...of, ...change }));
  expect(new Set([machineId(of), ...others]).size).toBe(4);
});

test('a case has the median and the range of its rounds, by process', () => {
  const pair = (total: number, failures: number) => ({
    name: 'get',
    against: '',
    concurrency: 16,
    warmUp: { runs: 3, flat: true },
    stack: {
      ...{ requests: 1, failures, seconds: 1, p50: 1, p99: 2, ownCpu: 0, rate: 1, total },
      cpu: { gateway: total },
    },
  });
  const [saved] = savedCases([pair(100, 0), pair(300, 1), pair(120, 0)]);
  const spread = { median: 120, min: 100, max: 300 };
  expect(saved).toMatchObject({ name: 'get', failed: 1, cpu: spread, processes: { gateway: spread } });
});

test('what is written is formatted and ends with a line', () => {
  expect(readFileSync(saveResult(savedResult([]), folder), 'utf8')).toMatch(/^\{\n {2}"schema": 1,[^]*\n\}\n$/);
});
