import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { Counter } from 'prom-client';
import type { RequestContext } from '@holdfast/contracts';
import { currentTrace } from '../tracing/spans.js';

export type { Logger } from 'pino';

const logLines = new Counter({
  name: 'holdfast_log_lines_total',
  help: 'Log lines by level: warn, error or fatal',
  labelNames: ['level'],
});
const warnLevel = 40;

const contexts = new AsyncLocalStorage<RequestContext>();

/** Runs `work`. Every log line in it has the request id, the trace, the organization and the actor. */
export function inContext<T>(context: RequestContext, work: () => T): T {
  return contexts.run(context, work);
}

/** Members of logged objects that may contain a secret: their values are replaced. */
const secretMembers = [
  'authorization',
  'cookie',
  'clientSecret',
  'client_secret',
  'claimUrl',
  'access_token',
  'token',
  'password',
];

/** Writes structured lines to standard output, or to `destination` in tests. */
export function createLogger(service: string, level: string, replica = '1', destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { service, replica },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      // TypeORM's errors contain the values of the failed statement.
      paths: ['err.parameters', ...secretMembers.flatMap((m) => [m, `*.${m}`, `*.*.${m}`])],
      censor: '[secret]',
    },
    mixin: (_, number) => {
      if (number >= warnLevel) logLines.inc({ level: pino.levels.labels[number] ?? 'error' });
      const context = contexts.getStore();
      const current = currentTrace();
      if (!context) return current ?? {};
      const { org, actor, request } = context;
      return { requestId: request.id, traceId: traceIdOf(request.traceparent), ...current, org, actor: actor.id };
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** The trace id in a `traceparent`. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}
