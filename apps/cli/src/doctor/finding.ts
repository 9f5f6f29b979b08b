import { within } from '@holdfast/platform';

/** Longest time that one check may take: one that hangs must hide no other finding. */
const checkTimeoutMs = 20_000;

/** `warning`: works, and needs attention. `skipped`: the command lacks what the check needs. */
export type Result = 'ok' | 'warning' | 'failed' | 'skipped';

export interface Finding {
  check: string;
  result: Result;
  /** What was found, with units. */
  detail: string;
  /** What to do, for everything that is not ok. */
  advice?: string;
}

/**
 * Runs one check. An error of it, or no result in time, is a finding, so that the others still count.
 *
 * @param advice what to do when the check itself fails
 */
export async function check(name: string, advice: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await within(checkTimeoutMs, work(), () => new Error(`not checked within ${checkTimeoutMs / 1000} s`));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ check: name, result: 'failed', detail, advice }];
  }
}

export function found(check: string, detail: string): Finding {
  return { check, result: 'ok', detail };
}

/** How far a clock may be from this machine's before it is worth a look, and before services report it (ADR 0026). */
const clockWarningMs = 1000;
const clockLimitMs = 5000;

/** @param aheadMs by how much the other clock is ahead; the exact value lies within `uncertaintyMs` of it */
export function clockFinding(name: string, aheadMs: number, uncertaintyMs: number): Finding {
  const beyond = Math.max(0, Math.abs(aheadMs) - uncertaintyMs);
  const seconds = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (beyond < clockWarningMs) return found(name, `agrees with this machine's within ${clockWarningMs / 1000} s`);
  return {
    check: name,
    result: beyond > clockLimitMs ? 'failed' : 'warning',
    detail: seconds,
    advice: 'Find the machine whose clock is wrong, and its time service: "When a clock is wrong" in the runbook.',
  };
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}
