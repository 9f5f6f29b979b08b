import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Writes Nest's log lines with our logger. Its lines about startup get the level `debug`. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error') =>
    (message: unknown, ...rest: unknown[]) => {
      const [context] = rest.slice(-1);
      logger[level]({ context, ...(message instanceof Error ? { err: message } : {}) }, String(message));
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('error'),
  };
}
