import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Readiness } from '@holdfast/service';

const brokenLogs = new Gauge({
  name: 'holdfast_audit_logs_broken',
  help: 'Audit logs that do not continue what was signed before: they were truncated or changed, and nothing is signed',
});
const unsignedSeconds = new Gauge({
  name: 'holdfast_audit_unsigned_seconds',
  help:
    'For how long the newest entries of some log have had no checkpoint, the longest of all logs. A second or two is ' +
    'normal, a minute is not',
});

const logIntervalMs = 60_000;

/** How long entries may be without a checkpoint. They get one about every second; short outages are tolerated. */
export const maxUnsignedMs = 60_000;

interface BrokenLog {
  reason: string;
  /** When this replica found it. */
  since: Date;
  loggedAtMs: number;
}

/** Logs that cannot be signed. They are reported in the log, in metrics and at /readyz for as long as they cannot. */
@Injectable()
export class BrokenLogs {
  private readonly logger = new Logger('checkpoints');
  private readonly broken = new Map<string, BrokenLog>();
  /** Since when a log has had entries without a checkpoint, and when that was last logged. */
  private readonly unsigned = new Map<string, { sinceMs: number; loggedAtMs: number }>();

  constructor(readiness: Readiness) {
    readiness.addProblems(() => this.readinessDetails());
  }

  report(org: string, reason: string): void {
    const before = this.broken.get(org);
    const now = Date.now();
    const loggedRecently = before !== undefined && now - before.loggedAtMs < logIntervalMs;
    this.broken.set(org, {
      reason,
      since: before?.since ?? new Date(now),
      loggedAtMs: loggedRecently ? before.loggedAtMs : now,
    });
    brokenLogs.set(this.broken.size);
    if (!loggedRecently)
      this.logger.error(
        `THE AUDIT LOG OF ${org} IS BROKEN, and nothing more is signed: ${reason}. ` +
          'See "When an audit log is broken" in the runbook',
      );
  }

  find(org: string): Pick<BrokenLog, 'reason' | 'since'> | undefined {
    return this.broken.get(org);
  }

  get orgs(): string[] {
    return [...this.broken.keys()];
  }

  /** To be called when all entries of a log are signed, and continue what was signed before. */
  resolve(org: string): void {
    this.unsigned.delete(org);
    if (!this.broken.delete(org)) return;
    brokenLogs.set(this.broken.size);
    this.logger.warn(`The audit log of ${org} continues its checkpoints again`);
  }

  /** @param orgs all logs that have entries without a checkpoint at this moment */
  updateUnsigned(orgs: readonly string[], now = Date.now()): void {
    const current = new Set(orgs);
    for (const org of this.unsigned.keys()) if (!current.has(org)) this.unsigned.delete(org);
    for (const org of orgs) if (!this.unsigned.has(org)) this.unsigned.set(org, { sinceMs: now, loggedAtMs: now });
    unsignedSeconds.set(Math.max(0, ...[...this.unsigned.values()].map(({ sinceMs }) => (now - sinceMs) / 1000)));
    for (const [org, entry] of this.unsigned) {
      if (now - entry.sinceMs < maxUnsignedMs || now - entry.loggedAtMs < logIntervalMs) continue;
      entry.loggedAtMs = now;
      this.logger.error(
        `The newest entries of the audit log of ${org} have had no checkpoint for ` +
          `${Math.round((now - entry.sinceMs) / 1000)} s: until then, anyone who can write to the database can ` +
          'change them undetected',
      );
    }
  }

  /** Lines for /readyz. The service stays ready: all other logs work. */
  private readinessDetails(): string[] {
    const late = [...this.unsigned].filter(
      ([org, { sinceMs }]) => !this.broken.has(org) && Date.now() - sinceMs >= maxUnsignedMs,
    );
    return [
      ...[...this.broken].map(([org, { reason }]) => `the audit log of ${org} is broken and not signed: ${reason}`),
      ...late.map(
        ([org, { sinceMs }]) =>
          `the audit log of ${org} has not been signed for ${Math.round((Date.now() - sinceMs) / 1000)} s`,
      ),
    ];
  }
}
