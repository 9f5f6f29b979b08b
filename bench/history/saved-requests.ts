import type { Start } from '../footprint.ts';
import type { Rest } from '../report.ts';
import type { Pair } from '../rounds.ts';
import { spreadOf } from '../statistics.ts';
import type { SavedCase, SavedRequests } from './schema.ts';

const mebibyte = 1_048_576;

/** The cases of a run, without their baselines: those do not change with a commit. */
export function savedCases(pairs: readonly Pair[]): SavedCase[] {
  return [...Map.groupBy(pairs, (pair) => `${pair.name} ${pair.concurrency}`).values()].map((rounds) => {
    const { name, concurrency, warmUp } = rounds[0]!;
    const spread = (of: (pair: Pair) => number) => spreadOf(rounds.map(of));
    const processes = [...new Set(rounds.flatMap(({ stack }) => Object.keys(stack.cpu)))];
    return {
      name,
      concurrency,
      warmUp,
      failed: rounds.reduce((sum, { stack }) => sum + stack.failures, 0),
      rate: spread(({ stack }) => stack.rate),
      p50: spread(({ stack }) => stack.p50),
      p99: spread(({ stack }) => stack.p99),
      cpu: spread(({ stack }) => stack.total),
      processes: Object.fromEntries(processes.map((name) => [name, spread(({ stack }) => stack.cpu[name] ?? 0)])),
    };
  });
}

export function savedFootprint(
  idle: Rest,
  loaded: ReadonlyMap<string, number>,
  starts: ReadonlyMap<string, Start>,
): SavedRequests['footprint'] {
  return Object.fromEntries(
    [...idle.memory].map(([name, bytes]) => {
      const start = starts.get(name);
      return [
        name,
        {
          idleMb: bytes / mebibyte,
          loadedMb: (loaded.get(name) ?? 0) / mebibyte,
          idleCpuMs: idle.cpu.get(name) ?? 0,
          ...(start && { startMs: start.milliseconds, startCpuMs: start.cpu }),
        },
      ];
    }),
  );
}
