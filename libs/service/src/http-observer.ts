import type { ErrorOrigin } from '@holdfast/contracts';
import { LogBudget, type HttpLogConfig, type Logger } from '@holdfast/platform';
import { accessLogLinesSummarized, requestErrors, requestSeconds, requestsTotal } from './http-metrics.js';

/**
 * One request, when it is over. No path, no address and no name of a customer: those stand in the audit log, where they
 * can be erased.
 */
export interface ObservedRequest {
  requestId: string;
  method: string;
  /** Template of the route; undefined when none matched. */
  route?: string | undefined;
  status: number;
  seconds: number;
  org?: string | undefined;
  /** Whether a verified token says so, or only the path. */
  verified?: boolean;
  clientId?: string | undefined;
  code?: string | undefined;
  detail?: string | undefined;
  origin?: ErrorOrigin | undefined;
}

/** What a client that went away before it was answered is counted as. */
export const clientClosedRequest = 499;

/** Seconds between two summaries of requests without a line of their own. */
const summaryIntervalMs = 5000;
/** Kinds of error that a summary tells apart; there are more only when everything is broken at once. */
const maxGroups = 50;

/**
 * Metrics of every request, and one access line each for what an operator looks for: all that failed on our side, what
 * was refused as far as the budget goes, a sample of what succeeded. What exceeds a budget is counted by kind in a
 * summary line, so that the log stays bounded under an attack and still says what happened.
 */
export class HttpObserver {
  private readonly clientErrors: LogBudget;
  private readonly serverErrors: LogBudget;
  private readonly named: ReadonlySet<string>;
  private readonly summedUp = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly config: HttpLogConfig,
  ) {
    this.clientErrors = new LogBudget(config.ACCESS_LOG_CLIENT_ERRORS);
    this.serverErrors = new LogBudget(config.ACCESS_LOG_SERVER_ERRORS);
    this.named = new Set(config.METRICS_ORGANIZATIONS);
  }

  observe(request: ObservedRequest): void {
    this.count(request);
    const { status } = request;
    if (status >= 500) this.write(request, this.serverErrors.take(), status === 500 ? 'error' : 'warn');
    else if (status >= 400) this.write(request, this.clientErrors.take(), 'info');
    else if (Math.random() < this.config.ACCESS_LOG_SUCCESSES) this.write(request, true, 'info');
  }

  /** Writes what is only summed up so far. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.summedUp.size === 0) return;
    const groups = [...this.summedUp].map(([key, count]) => ({ ...(JSON.parse(key) as object), count }));
    this.summedUp.clear();
    this.logger.warn({ groups }, 'requests without an access line of their own, by kind');
  }

  private count({ route = 'unmatched', method, status, seconds, org, verified, code, origin }: ObservedRequest): void {
    const statusClass = `${Math.floor(status / 100)}xx`;
    requestSeconds.observe({ route, method, status_class: statusClass }, seconds);
    requestsTotal.inc({ route, method, status, organization: this.classOf(org, verified) });
    if (status >= 400)
      requestErrors.inc({
        route,
        status,
        code: code ?? '',
        dependency: origin?.dependency ?? '',
        cause: origin?.cause ?? '',
      });
  }

  /** Few values, whoever calls: an organization of its own label is one that the operator named and a token proved. */
  private classOf(org: string | undefined, verified = false): string {
    if (org === undefined) return 'none';
    if (!verified) return 'unverified';
    return this.named.has(org) ? org : 'other';
  }

  private write(request: ObservedRequest, affordable: boolean, level: 'info' | 'warn' | 'error'): void {
    if (!affordable) return this.sumUp(request);
    const { route = 'unmatched', seconds, origin, detail, verified, ...rest } = request;
    const line = {
      ...rest,
      route,
      durationMs: Math.round(seconds * 10_000) / 10,
      ...(verified === false && { verified }),
      ...(detail && { detail }),
      ...origin,
    };
    this.logger[level](line, 'request');
  }

  private sumUp({ route = 'unmatched', status, code, origin }: ObservedRequest): void {
    accessLogLinesSummarized.inc({ status_class: `${Math.floor(status / 100)}xx` });
    const key = JSON.stringify({ route, status, code, ...origin });
    const kept =
      this.summedUp.has(key) || this.summedUp.size < maxGroups
        ? key
        : JSON.stringify({ route: '*', status: `${Math.floor(status / 100)}xx` });
    this.summedUp.set(kept, (this.summedUp.get(kept) ?? 0) + 1);
    this.timer ??= setTimeout(() => this.flush(), summaryIntervalMs).unref();
  }
}
