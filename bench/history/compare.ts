import { spreadOf, type Spread } from '../statistics.ts';
import { figure, table } from '../table.ts';
import type { SavedCase, SavedResult } from './schema.ts';

/** One figure of a case in two results. */
export interface Ratio {
  case: string;
  /** `req/s`, `p99 ms`, `CPU µs`, or a process, of which it is CPU µs per request. */
  what: string;
  a: number;
  b: number;
  /** b ÷ a, and the range that the rounds leave open. */
  ratio: Spread;
  /** Whether the noise of the rounds does not explain the difference. */
  isBeyondNoise: boolean;
}

/** If nothing has changed, the ranges of four rounds and four others are apart in one of 35 comparisons. */
const minRounds = 4;
/** If nothing has changed, the ratios of five rounds are all above or all below 1 in one of 16 comparisons. */
const minPairs = 5;
/** Processes that do not serve a case have some CPU time as well, in ticks of 10 ms. */
const idleMicros = 5;

/** Compares results that were measured at different times: their ranges have to be apart. */
export function compareResults(a: SavedResult, b: SavedResult): Ratio[] {
  const rounds = Math.min(a.requests?.rounds ?? 0, b.requests?.rounds ?? 0);
  return (a.requests?.cases ?? []).flatMap((caseA) => {
    const caseB = b.requests?.cases.find((c) => c.name === caseA.name && c.concurrency === caseA.concurrency);
    if (!caseB) return [];
    const ofB = figuresOf(caseB);
    return [...figuresOf(caseA)].flatMap(([what, spread]): Ratio[] => {
      const other = ofB.get(what);
      if (!other || isIdle(what, spread.median, other.median)) return [];
      const [min, max] = [other.min / spread.max, other.max / spread.min];
      return [
        {
          case: `${caseA.name} at ${caseA.concurrency}`,
          what,
          a: spread.median,
          b: other.median,
          ratio: { median: other.median / spread.median, min, max },
          isBeyondNoise: rounds >= minRounds && excludesOne({ min, max }),
        },
      ];
    });
  });
}

function figuresOf({ rate, p99, cpu, processes }: SavedCase): Map<string, Spread> {
  return new Map([['req/s', rate], ['p99 ms', p99], ['CPU µs', cpu], ...Object.entries(processes)]);
}

/** One round of an alternating measurement: figures of A and B by name, measured one after the other. */
export interface PairedRound {
  a: Readonly<Record<string, number>>;
  b: Readonly<Record<string, number>>;
}

/** Compares what was measured alternately: the ratio of each round counts, since other load affects both alike. */
export function compareRounds(name: string, rounds: readonly PairedRound[]): Ratio[] {
  const names = [...new Set(rounds.flatMap(({ a, b }) => [...Object.keys(a), ...Object.keys(b)]))];
  return names.flatMap((what): Ratio[] => {
    const of = (side: 'a' | 'b') => spreadOf(rounds.map((round) => round[side][what] ?? 0)).median;
    const [a, b] = [of('a'), of('b')];
    if (isIdle(what, a, b)) return [];
    const ratio = spreadOf(rounds.map((round) => (round.b[what] ?? 0) / (round.a[what] ?? 0)));
    return [{ case: name, what, a, b, ratio, isBeyondNoise: rounds.length >= minPairs && excludesOne(ratio) }];
  });
}

function isIdle(what: string, a: number, b: number): boolean {
  return !['req/s', 'p99 ms', 'CPU µs'].includes(what) && Math.max(a, b) < idleMicros;
}

function excludesOne({ min, max }: { min: number; max: number }): boolean {
  return min > 1 || max < 1;
}

export function ratioTable(ratios: readonly Ratio[]): string {
  const rows = ratios.map((r, i) => [
    ratios[i - 1]?.case === r.case ? '' : r.case,
    r.what,
    figure(r.a),
    figure(r.b),
    figure(r.ratio.median),
    `${figure(r.ratio.min)} to ${figure(r.ratio.max)}`,
    r.isBeyondNoise ? (r.ratio.median < 1 ? 'less' : 'more') : '',
  ]);
  return table(['case', 'figure', 'A', 'B', 'B ÷ A', 'range', 'beyond noise'], rows);
}

/** What the reader of a comparison has to know about its circumstances. */
export function warningsOf(a: SavedResult, b: SavedResult): string[] {
  const [first, second] = [a.requests, b.requests];
  const notFlat = [...(first?.cases ?? []), ...(second?.cases ?? [])].filter(({ warmUp }) => !warmUp.flat);
  const differs = (what: string, x: unknown, y: unknown): string[] =>
    x === y ? [] : [`The ${what} differs: ${String(x)} and ${String(y)}.`];
  return [
    ...(a.machine.id === b.machine.id ? [] : ['The machines differ, so the ratios do not compare the commits alone.']),
    ...differs('version of Node.js', a.versions.node, b.versions.node),
    ...differs('version of PostgreSQL', a.versions.postgresql, b.versions.postgresql),
    ...differs('version of nats-server', a.versions.natsServer, b.versions.natsServer),
    ...differs('number of customers', first?.subjects, second?.subjects),
    ...differs('length of a measurement in seconds', first?.seconds, second?.seconds),
    ...(notFlat.length > 0
      ? [`Not flat after the warm-up: ${[...new Set(notFlat.map(({ name }) => name))].join(', ')}.`]
      : []),
    ...((first?.rounds ?? 0) < minRounds || (second?.rounds ?? 0) < minRounds
      ? [`Nothing is marked as beyond the noise with fewer than ${minRounds} rounds.`]
      : []),
  ];
}
