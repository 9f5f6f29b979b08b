import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Readiness } from '@holdfast/service';

const brokenLogs = new Gauge({
  name: 'holdfast_audit_logs_broken',
  help: 'Audit logs that do not continue what was signed before: they were truncated or changed, and nothing is signed',
});
const unsignedSeconds = new Gauge({
  name: 'holdfast_audit_unsigned_seconds',
  help: 'For how long the newest entries of some log have had no checkpoint, the longest of all logs. A second or two is normal, a minute is not',
});

const sayAgainMs = 60_000;

/**
 * For how long entries may be behind the last checkpoint. They get one about every second; a database or disk that is
 * away for a moment is let pass.
 */
export const maxUnsignedMs = 60_000;

interface Broken {
  why: string;
  /** When it was found, by this replica. */
  since: Date;
  saidAtMs: number;
}

/** Which logs cannot be signed, said aloud as long as they cannot. */
@Injectable()
export class BrokenLogs {
  private readonly logger = new Logger('checkpoints');
  private readonly broken = new Map<string, Broken>();
  /** Since when entries of a log have been seen without a checkpoint, and when that was last said. */
  private readonly unsigned = new Map<string, { sinceMs: number; saidAtMs: number }>();

  constructor(readiness: Readiness) {
    readiness.mentions(() => this.words());
  }

  found(org: string, why: string): void {
    const before = this.broken.get(org);
    const now = Date.now();
    const silent = before !== undefined && now - before.saidAtMs < sayAgainMs;
    this.broken.set(org, { why, since: before?.since ?? new Date(now), saidAtMs: silent ? before.saidAtMs : now });
    brokenLogs.set(this.broken.size);
    if (!silent)
      this.logger.error(
        `THE AUDIT LOG OF ${org} IS BROKEN, and nothing more is signed: ${why}. See "When an audit log is broken" in the runbook`,
      );
  }

  of(org: string): Pick<Broken, 'why' | 'since'> | undefined {
    return this.broken.get(org);
  }

  get orgs(): string[] {
    return [...this.broken.keys()];
  }

  /** It continues what was signed before, and all of it is signed. */
  signed(org: string): void {
    this.unsigned.delete(org);
    if (!this.broken.delete(org)) return;
    brokenLogs.set(this.broken.size);
    this.logger.warn(`the audit log of ${org} continues its checkpoints again`);
  }

  /**
   * @param orgs all logs that have entries behind their last checkpoint at this moment; one that grows all the time is
   * among them, and signed in between
   */
  unsignedNow(orgs: readonly string[], now = Date.now()): void {
    const still = new Set(orgs);
    for (const org of this.unsigned.keys()) if (!still.has(org)) this.unsigned.delete(org);
    for (const org of orgs) if (!this.unsigned.has(org)) this.unsigned.set(org, { sinceMs: now, saidAtMs: now });
    unsignedSeconds.set(Math.max(0, ...[...this.unsigned.values()].map(({ sinceMs }) => (now - sinceMs) / 1000)));
    for (const [org, entry] of this.unsigned) {
      if (now - entry.sinceMs < maxUnsignedMs || now - entry.saidAtMs < sayAgainMs) continue;
      entry.saidAtMs = now;
      this.logger.error(
        `the newest entries of the audit log of ${org} have had no checkpoint for ${Math.round((now - entry.sinceMs) / 1000)} s: until they have one, whoever can write to the database can change them unseen`,
      );
    }
  }

  /** For the detail of /readyz: the service still answers for all other logs, so that it stays ready. */
  private words(): string[] {
    const late = [...this.unsigned].filter(
      ([org, { sinceMs }]) => !this.broken.has(org) && Date.now() - sinceMs >= maxUnsignedMs,
    );
    return [
      ...[...this.broken].map(([org, { why }]) => `the audit log of ${org} is broken and not signed: ${why}`),
      ...late.map(
        ([org, { sinceMs }]) =>
          `the audit log of ${org} has not been signed for ${Math.round((Date.now() - sinceMs) / 1000)} s`,
      ),
    ];
  }
}
