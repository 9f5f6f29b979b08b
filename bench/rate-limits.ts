import { RateLimiter } from '@holdfast/platform';
import { median } from './statistics.ts';
import { figure, table } from './table.ts';

const takes = 1_000_000;
const callers = Array.from({ length: 10_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
const perMinute = 60_000;
/** So small that every bucket is empty after a few requests, and denies. */
const shortQuota = 4;

const states = {
  'one replica': { replicas: 1, isShort: false },
  'three replicas, callers below half of a share': { replicas: 3, isShort: false },
  'three replicas, every caller short of tokens': { replicas: 3, isShort: true },
} as const;

export interface LimitCost {
  state: string;
  /** CPU per counted request, in ns. */
  cpuNs: number;
  /** Median of each round's own ratio to one replica, which decides as a single process would. */
  ratio: number;
}

/** What a request pays for its rate limit: nothing but this, since replicas exchange tokens between requests. */
export function measureRateLimits(rounds: number): LimitCost[] {
  const entries = Object.entries(states);
  for (const [, state] of entries) cpuNsOf(state);
  const runs = Array.from({ length: rounds }, () => entries.map(([, state]) => cpuNsOf(state)));
  return entries.map(([state], i) => ({
    state,
    cpuNs: median(runs.map((run) => run[i]!)),
    ratio: median(runs.map((run) => run[i]! / run[0]!)),
  }));
}

export function rateLimitsTable(costs: readonly LimitCost[]): string {
  return table(
    ['rate limit of a request', 'CPU ns', '÷ one replica'],
    costs.map(({ state, cpuNs, ratio }) => [state, figure(cpuNs), figure(ratio)]),
  );
}

function cpuNsOf({ replicas, isShort }: { replicas: number; isShort: boolean }): number {
  let nowMs = 0;
  const limiter = new RateLimiter('bench', perMinute, { replicas: () => replicas, now: () => nowMs });
  const quota = isShort ? shortQuota : perMinute;
  const before = process.cpuUsage();
  for (let i = 0; i < takes; i += 1) {
    limiter.take(callers[i % callers.length]!, quota);
    // A second of 25,000 requests, with the exchange four times in it.
    nowMs += 0.04;
    if (i % 6250 === 0) limiter.takeShortBuckets();
  }
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / takes;
}
