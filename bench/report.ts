import type { Start } from './footprint.ts';
import type { Pair } from './rounds.ts';
import { median } from './statistics.ts';
import { figure, megabytes, table } from './table.ts';

/** Undefined where a case has no baseline. */
type Figure = (pair: Pair) => number | undefined;

/** Pairs of the same case and concurrency, in the order of the first of each. */
function groups(pairs: readonly Pair[]): Pair[][] {
  return [...Map.groupBy(pairs, (p) => `${p.name} ${p.concurrency}`).values()];
}

const medianOf = (group: Pair[], of: Figure): string => figure(median(group.map(of).filter((n) => n !== undefined)));

export function speedTable(pairs: readonly Pair[]): string {
  const head = [
    'case',
    'at',
    'req/s',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'base req/s',
    'base p50',
    'base CPU',
    'req/s ÷ base',
    'CPU ÷ base',
    'load µs',
    'warm',
    'failed',
  ];
  const rows = groups(pairs).map((group) => [
    group[0]!.name,
    String(group[0]!.concurrency),
    medianOf(group, (p) => p.stack.rate),
    medianOf(group, (p) => p.stack.p50),
    medianOf(group, (p) => p.stack.p99),
    medianOf(group, (p) => p.stack.total),
    medianOf(group, (p) => p.baseline?.rate),
    medianOf(group, (p) => p.baseline?.p50),
    medianOf(group, (p) => p.baseline?.total),
    medianOf(group, (p) => p.baseline && p.stack.rate / p.baseline.rate),
    medianOf(group, (p) => p.baseline && p.stack.total / p.baseline.total),
    medianOf(group, (p) => p.stack.ownCpu / Math.max(1, p.stack.requests)),
    group[0]!.warmUp.flat ? 'yes' : 'no',
    String(group.reduce((sum, p) => sum + p.stack.failures + (p.baseline?.failures ?? 0), 0)),
  ]);
  return table(head, rows);
}

/** CPU µs per request of each process of the stack. */
export function processTable(pairs: readonly Pair[]): string {
  const names = [...new Set(pairs.flatMap((p) => Object.keys(p.stack.cpu)))];
  const rows = groups(pairs).map((group) => [
    `${group[0]!.name} at ${group[0]!.concurrency}`,
    ...names.map((name) => medianOf(group, (p) => p.stack.cpu[name] ?? 0)),
    medianOf(group, (p) => p.stack.total),
  ]);
  return table(['CPU µs per request', ...names, 'all'], rows);
}

export function baselineList(pairs: readonly Pair[]): string {
  return [...new Map(pairs.map((p) => [p.name, p.against]))]
    .map(([name, against]) => `  ${name.padEnd(10)} ${against}`)
    .join('\n');
}

export interface Rest {
  memory: Map<string, number>;
  cpu: Map<string, number>;
}

export function footprintTable(idle: Rest, loaded: Map<string, number>, starts: Map<string, Start>): string {
  const sum = (sizes: Map<string, number>): number => [...sizes.values()].reduce((total, size) => total + size, 0);
  const rows = [...idle.memory.keys()].map((name) => [
    name,
    megabytes(idle.memory.get(name)!),
    megabytes(loaded.get(name) ?? 0),
    figure(idle.cpu.get(name)),
    figure(starts.get(name)?.milliseconds),
    figure(starts.get(name)?.cpu),
  ]);
  const all = ['all', megabytes(sum(idle.memory)), megabytes(sum(loaded)), figure(sum(idle.cpu)), '', ''];
  return table(
    ['process', 'PSS idle MB', 'PSS loaded MB', 'idle CPU ms/s', 'start ms', 'start CPU ms'],
    [...rows, all],
  );
}
