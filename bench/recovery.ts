import { sliceMs, type Slice } from './workers/phases.ts';

/** The same requests on the same machine vary as much without any overload. */
const tolerance = 1.5;

/**
 * Seconds after the end of an overload until success and latency are those of before: until the first part of the time
 * afterwards in which every request succeeds, and half of them as fast as before. undefined if there is none.
 */
export function recoverySeconds(before: readonly Slice[], after: readonly Slice[]): number | undefined {
  const usual = Math.max(...before.map(({ p50 }) => p50)) * tolerance;
  const first = after.find(({ good, rejected, failed, p50 }) => good > 0 && rejected + failed === 0 && p50 <= usual);
  return first && (first.atMs === 0 ? 0 : (first.atMs + sliceMs) / 1000);
}
