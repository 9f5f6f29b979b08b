import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Lets Nest's own lines come out like ours. Its start-up chatter is for debugging. */
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
