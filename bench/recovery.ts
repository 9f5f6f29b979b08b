import { sliceMs, type Slice } from './workers/phases.ts';

/** The same requests on the same machine vary as much without any overload. */
const tolerance = 1.5;

/**
 * Seconds after the end of an overload until success and latency are those of before: until the first part of the time
 * afterwards in which every request succeeds, and p50 and p99 are those of before. undefined if there is none.
 */
export function recoverySeconds(before: readonly Slice[], after: readonly Slice[]): number | undefined {
  const usual = (quantile: 'p50' | 'p99'): number => Math.max(...before.map((slice) => slice[quantile])) * tolerance;
  const [usualP50, usualP99] = [usual('p50'), usual('p99')];
  const first = after.find(
    ({ good, unsent, rejected, failed, p50, p99 }) =>
      good > 0 && unsent + rejected + failed === 0 && p50 <= usualP50 && p99 <= usualP99,
  );
  return first && (first.atMs === 0 ? 0 : (first.atMs + sliceMs) / 1000);
}
