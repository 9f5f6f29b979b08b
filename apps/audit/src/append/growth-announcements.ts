import { Injectable } from '@nestjs/common';
import { logGrowthSubject, type LogGrowth } from '@holdfast/contracts';
import { Bus, publishHint } from '@holdfast/messaging';

/** At most fifty messages a second, however many batches are appended. */
const intervalMs = 20;
/** As many as logGrowthSchema accepts. */
const maxLogs = 500;

/** Tells gateways which logs have grown, so that those who follow a log need not poll it. Nothing depends on it. */
@Injectable()
export class GrowthAnnouncements {
  private readonly grown = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly bus: Bus) {}

  /** Announces the new ends of these logs soon. */
  announce(heads: Iterable<readonly [string, { seq: number }]>): void {
    for (const [org, { seq }] of heads) this.grown.set(org, seq);
    if (this.grown.size > 0) this.timer ??= setTimeout(() => this.publish(), intervalMs).unref();
  }

  private publish(): void {
    this.timer = undefined;
    const grown: LogGrowth = [...this.grown];
    this.grown.clear();
    for (let from = 0; from < grown.length; from += maxLogs)
      publishHint(this.bus.connection, logGrowthSubject, grown.slice(from, from + maxLogs));
  }
}
