import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { RequestContext } from '@holdfast/contracts';

export type { Logger } from 'pino';

const calls = new AsyncLocalStorage<RequestContext>();

/** Runs `work` so that every log line in it carries the request id, the organization and the actor. */
export function inContext<T>(context: RequestContext, work: () => T): T {
  return calls.run(context, work);
}

/** Members that would hold a secret are cut out wherever somebody logs an object with them. */
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

/** Structured lines on standard output, or wherever a test wants them. */
export function createLogger(service: string, level: string, replica = '1', destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { service, replica },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      // TypeORM's errors carry the values of the statement that failed.
      paths: ['err.parameters', ...secretMembers.flatMap((m) => [m, `*.${m}`, `*.*.${m}`])],
      censor: '[secret]',
    },
    mixin: () => {
      const call = calls.getStore();
      return call ? { requestId: call.request.id, org: call.org, actor: call.actor.id } : {};
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
