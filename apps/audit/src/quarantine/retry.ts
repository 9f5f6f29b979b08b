import type { AuditRecord } from '@holdfast/contracts';
import type { AppendItem } from '../append/plan.js';
import type { Rejected } from '../append/sequencer.js';

/** A stored record that is to be appended now. */
export type DueRecord = AppendItem & Required<Pick<AppendItem, 'record'>>;

/** A table of records that are appended later. */
export interface DueRecordSource {
  due(): Promise<DueRecord[]>;
  /** Called with the records that were appended, even if there are none. */
  deleteAppended?(appended: readonly DueRecord[]): Promise<void>;
  /** Postpones records that the log rejects, so that they block none of those behind them. */
  postpone(rejected: readonly Rejected<DueRecord>[]): Promise<void>;
}

/** A rejected record can be appended only after a repair by an operator, so delays grow from a minute on. */
export const retryDelayMs = { first: 60_000, max: 900_000 } as const;

/** Shortens each delay by a quarter at most, so that logs that failed together are not retried together for ever. */
export function jitter(random: () => number = Math.random): number {
  return 1 - random() / 4;
}

/** SQL of the next attempt after `attempts` (an SQL expression) failed ones: 1, 2, 4 … minutes after `now`. */
export function nextAttempt(now: string, attempts: string, jittered: string): string {
  const delayMs = `least(${retryDelayMs.first} * 2 ^ least(${attempts}, 10), ${retryDelayMs.max})`;
  return `${now}::timestamptz + interval '1 millisecond' * (${delayMs} * ${jittered}::float8)`;
}

/** Parses a stored record; undefined when it is not the record of this id, so that the row must have been changed. */
export function parseRecord(text: string, id: string): AuditRecord | undefined {
  try {
    const record = JSON.parse(text) as AuditRecord | null;
    return record?.id === id ? record : undefined;
  } catch {
    return undefined;
  }
}
