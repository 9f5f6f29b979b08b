import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';

const broken = new Gauge({ name: 'holdfast_audit_logs_broken', help: 'Audit logs that do not continue what was signed before: they were truncated or changed, and nothing is signed' });

const sayAgainMs = 60_000;

/** Which logs were found broken, said aloud as long as they are. */
@Injectable()
export class BrokenLogs {
  private readonly logger = new Logger('checkpoints');
  /** When it was last said, by organization. */
  private readonly said = new Map<string, number>();

  found(org: string, why: string): void {
    const last = this.said.get(org);
    if (last !== undefined && Date.now() - last < sayAgainMs) return;
    this.said.set(org, Date.now());
    broken.set(this.said.size);
    this.logger.error(`THE AUDIT LOG OF ${org} IS BROKEN, and nothing more is signed: ${why}. See "When an audit log is broken" in the runbook`);
  }

  has(org: string): boolean {
    return this.said.has(org);
  }

  mended(org: string): void {
    if (!this.said.delete(org)) return;
    broken.set(this.said.size);
    this.logger.warn(`the audit log of ${org} continues its checkpoints again`);
  }
}
