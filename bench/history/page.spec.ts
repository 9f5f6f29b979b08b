import { expect, test } from '@jest/globals';
import { savedCase, savedResult } from './fixture.ts';
import { benchmarkPages } from './page.ts';

const first = savedResult([savedCase('get', 200), savedCase('token', 100)]);
const second = savedResult([savedCase('get', 100, { warmUp: { runs: 10, flat: false } })], { commit: 'b'.repeat(40) });
const growth = (values: number[]) => ({
  log: {
    date: '2026-11-23T12:00:00.000Z',
    loadBefore: 3,
    points: values.map((value, i) => ({ size: 10 ** (i + 2), figures: { 'page p99 ms': value } })),
  },
});

test('the bar of each process is as long as its CPU time, in the order of the results', () => {
  const widths = [...benchmarkPages([first, second])['benchmark-cpu.svg']!.matchAll(/ width="([\d.]+)" height="16"/g)];
  const pixelsPerMicro = 640 / 200.5;
  const expected = [200, 100, 100].flatMap((cpu) =>
    [cpu * 0.4, cpu * 0.6, 0.5].map((micros) => micros * pixelsPerMicro),
  );
  expect(widths.map(([, width]) => Number(width))).toEqual(expected.map((n) => expect.closeTo(n, 0)));
});

test('images follow the colour scheme of the reader', () => {
  const pages = benchmarkPages([{ ...first, growth: growth([1, 2]) }]);
  for (const name of ['benchmark-cpu.svg', 'benchmark-growth.svg'])
    expect(pages[name]).toContain('@media(prefers-color-scheme:dark)');
});

test('a curve starts at zero, has the sizes on a logarithmic axis, and one line for each result', () => {
  const pages = benchmarkPages([
    { ...first, growth: growth([5, 10, 10]) },
    { ...second, growth: growth([10, 10]) },
  ]);
  const lines = [...pages['benchmark-growth.svg']!.matchAll(/polyline points="([^"]+)"/g)].map(([, points]) => points);
  expect(lines.slice(2)).toEqual(['12,100 137,44 262,44', '12,44 137,44']);
});

test('without saved growth there is no image of it', () => {
  const pages = benchmarkPages([first]);
  expect(Object.keys(pages)).toEqual(['benchmarks.md', 'benchmark-cpu.svg']);
  expect(pages['benchmarks.md']).not.toContain('Growth');
});

test('the page names commit, machine, load, and cases whose warm-up did not become flat', () => {
  const page = benchmarkPages([first, { ...second, growth: growth([1]) }])['benchmarks.md'];
  expect(page).toContain('| `bbbbbbbbbbbb` | 2026-11-23 | Example CPU, 2 cores, 8 GB (`00c0ffee`) | 24.1.0 |');
  expect(page).toContain('| 5 of 2 s | 0.20, 3.00 | get |');
});

test('without saved results the page says so and has no image', () => {
  const pages = benchmarkPages([]);
  expect(Object.keys(pages)).toEqual(['benchmarks.md']);
  expect(pages['benchmarks.md']).toContain('No result is saved yet.');
});

test('text is escaped', () => {
  const image = benchmarkPages([savedResult([savedCase('<get> & "list"', 100)])])['benchmark-cpu.svg'];
  expect(image).toContain('&lt;get&gt; &amp; &quot;list&quot; at 16');
});
