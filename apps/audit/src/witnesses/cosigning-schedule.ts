import type { LogsToRead } from '../append/changed-logs.js';

/** When each log that a witness has to cosign is submitted to it next. */
export class CosigningSchedule {
  /** Times in ms since 1970, the longest waiting ones first. */
  private readonly dueAtMs = new Map<string, number>();

  constructor(readonly signedLogs: LogsToRead) {}

  /** Those that are scheduled already keep their time. */
  add(orgs: Iterable<string>): void {
    for (const org of orgs) if (!this.dueAtMs.has(org)) this.dueAtMs.set(org, 0);
  }

  /** Logs that are due at `now`. Their next time is `pauseMs` later. */
  next(limit: number, now: Date, pauseMs: number): string[] {
    const due: string[] = [];
    for (const [org, atMs] of this.dueAtMs) {
      if (due.length === limit) break;
      if (atMs <= now.getTime()) due.push(org);
    }
    for (const org of due) {
      this.dueAtMs.delete(org);
      this.dueAtMs.set(org, now.getTime() + pauseMs);
    }
    return due;
  }

  /** The witness has cosigned all that is signed. */
  delete(org: string): void {
    this.dueAtMs.delete(org);
  }
}
