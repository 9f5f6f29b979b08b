import type { ErrorOrigin } from '@holdfast/contracts';
import { LogBudget, type HttpLogConfig, type Logger, type RequestSpan } from '@holdfast/platform';
import { accessLogLinesSummarized, requestErrors, requestSeconds, requestsTotal } from './http-metrics.js';

/**
 * A completed request. It has no path, no address and no id of a customer: those are in the audit log only, where they
 * can be erased.
 */
export interface ObservedRequest {
  requestId: string;
  traceId?: string | undefined;
  /** The sampled trace of the request. */
  exemplar?: RequestSpan['exemplar'];
  method: string;
  /** Template of the route; undefined if none matched. */
  route?: string | undefined;
  status: number;
  seconds: number;
  org?: string | undefined;
  /** Whether `org` is from a verified token, or only from the path. */
  verified?: boolean;
  clientId?: string | undefined;
  code?: string | undefined;
  detail?: string | undefined;
  origin?: ErrorOrigin | undefined;
}

/** Status of a request whose client closed the connection before the response was sent. */
export const clientClosedRequest = 499;

/** Time between two summaries of requests without a line of their own. */
const summaryIntervalMs = 5000;
/** Groups in one summary. Further kinds of error share one group. */
const maxGroups = 50;

/**
 * Writes metrics of every request, and access lines of the relevant ones: server errors and client errors up to a
 * budget of lines per second, and a sample of successes. Requests beyond a budget are counted by kind in a summary
 * line, so that the log stays small under attack and still shows what happened.
 */
export class HttpObserver {
  private readonly clientErrors: LogBudget;
  private readonly serverErrors: LogBudget;
  private readonly labelledOrganizations: ReadonlySet<string>;
  private readonly summary = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly config: HttpLogConfig,
  ) {
    this.clientErrors = new LogBudget(config.ACCESS_LOG_CLIENT_ERRORS);
    this.serverErrors = new LogBudget(config.ACCESS_LOG_SERVER_ERRORS);
    this.labelledOrganizations = new Set(config.METRICS_ORGANIZATIONS);
  }

  observe(request: ObservedRequest): void {
    this.count(request);
    const { status } = request;
    if (status >= 500) this.write(request, this.serverErrors.take(), status === 500 ? 'error' : 'warn');
    else if (status >= 400) this.write(request, this.clientErrors.take(), 'info');
    else if (Math.random() < this.config.ACCESS_LOG_SUCCESSES) this.write(request, true, 'info');
  }

  /** Writes the summary line now. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.summary.size === 0) return;
    const groups = [...this.summary].map(([key, count]) => ({ ...(JSON.parse(key) as object), count }));
    this.summary.clear();
    this.logger.warn({ groups }, 'requests without an access line of their own, by kind');
  }

  private count({ route = 'unmatched', method, status, seconds, org, verified, ...request }: ObservedRequest): void {
    const { code, origin, exemplar } = request;
    const statusClass = `${Math.floor(status / 100)}xx`;
    requestSeconds.observe({ route, method, status_class: statusClass }, seconds, exemplar);
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

  /** A metric label: an organization's own id only if the operator configured it and a verified token names it. */
  private classOf(org: string | undefined, verified = false): string {
    if (org === undefined) return 'none';
    if (!verified) return 'unverified';
    return this.labelledOrganizations.has(org) ? org : 'other';
  }

  private write(request: ObservedRequest, hasOwnLine: boolean, level: 'info' | 'warn' | 'error'): void {
    if (!hasOwnLine) return this.summarize(request);
    const { route = 'unmatched', seconds, origin, detail, verified, exemplar, ...rest } = request;
    const line = {
      ...rest,
      route,
      ...(exemplar && { spanId: exemplar.span_id }),
      durationMs: Math.round(seconds * 10_000) / 10,
      ...(verified === false && { verified }),
      ...(detail && { detail }),
      ...origin,
    };
    this.logger[level](line, 'request');
  }

  private summarize({ route = 'unmatched', status, code, origin }: ObservedRequest): void {
    accessLogLinesSummarized.inc({ status_class: `${Math.floor(status / 100)}xx` });
    const key = JSON.stringify({ route, status, code, ...origin });
    const group =
      this.summary.has(key) || this.summary.size < maxGroups
        ? key
        : JSON.stringify({ route: '*', status: `${Math.floor(status / 100)}xx` });
    this.summary.set(group, (this.summary.get(group) ?? 0) + 1);
    this.timer ??= setTimeout(() => this.flush(), summaryIntervalMs).unref();
  }
}
