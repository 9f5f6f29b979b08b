import type { AuditRecord } from '@holdfast/contracts';
import { newId } from '@holdfast/kit';
import { Logger } from '@nestjs/common';
import type { AuditWriter } from './audit-writer.js';

/** Distinct refusals kept at once; a flood of made-up organizations cannot fill the memory. */
const most = 10_000;
/** How often a service that stops tries to write its counts. */
const lastTries = 4;

type Counted = [key: string, refusal: { org: string; record: AuditRecord }];

/** Counts refusals before a caller is known (401, 429): one record per actor, route, reason and minute. */
export class RefusalCounter {
  private readonly logger = new Logger('refusals');
  private counts = new Map<string, { org: string; record: AuditRecord }>();
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly audit: AuditWriter,
    /** Which of these organizations exist. Without it all are taken to. */
    private readonly existing: (orgs: string[]) => Promise<string[]> = (orgs) => Promise.resolve(orgs),
    everyMs = 60_000,
  ) {
    this.timer = setInterval(() => void this.flush(), everyMs).unref();
  }

  /** Counts one; the record's own time, request and id stand for the first of its minute. */
  count(org: string, record: Omit<AuditRecord, 'id'>): void {
    const { action, actor, outcome, request } = record;
    const key = [org, action, actor.type, actor.id, request.method, request.route, outcome.code].join('\n');
    const known = this.counts.get(key);
    if (known) known.record.outcome.count! += 1;
    else if (this.counts.size < most) this.counts.set(key, { org, record: { ...record, id: newId(), outcome: { ...outcome, count: 1 } } });
  }

  /** Writes what was counted; what cannot be written is kept for the next time. */
  async flush(): Promise<void> {
    if (this.counts.size === 0) return;
    const batch = [...this.counts];
    this.counts = new Map();
    try {
      const existing = new Set(await this.existing([...new Set(batch.map(([, { org }]) => org))]));
      await Promise.all(batch.filter(([, { org }]) => existing.has(org)).map((counted) => this.write(counted)));
    } catch (error) {
      this.logger.warn(`refusals could not be recorded yet: ${String(error)}`);
      batch.forEach((counted) => this.keep(counted));
    }
  }

  private async write(counted: Counted): Promise<void> {
    const [, { org, record }] = counted;
    await this.audit.append(org, record).catch((error: unknown) => {
      this.logger.warn(`refusals could not be recorded yet: ${String(error)}`);
      this.keep(counted);
    });
  }

  private keep([key, { org, record }]: Counted): void {
    const later = this.counts.get(key);
    if (later) record.outcome.count! += later.record.outcome.count!;
    this.counts.set(key, { org, record });
  }

  /** The last chance to write what was counted: a busy house gets a few tries. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    for (let attempt = 1; attempt <= lastTries; attempt += 1) {
      await this.flush();
      if (this.counts.size === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    this.logger.error(`${this.counts.size} counts of refusals could not be recorded and are lost`);
  }
}
