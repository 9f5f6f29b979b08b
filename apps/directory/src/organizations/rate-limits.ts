import type { AppRateLimits, AppRateLimitsPatch } from '@holdfast/contracts';

/** The quotas after a change; null when none is set. */
export function changedRateLimits(current: AppRateLimits | null, patch: AppRateLimitsPatch): AppRateLimits | null {
  const set = Object.entries({ ...current, ...patch }).filter(([, quota]) => quota !== null && quota !== undefined);
  return set.length === 0 ? null : Object.fromEntries(set);
}
