import type { EventEmitter } from 'node:events';
import type { Provider } from 'oidc-provider';
import type { ErrorOrigin } from '@holdfast/contracts';
import { LogBudget, type Logger } from '@holdfast/platform';
import { noteOutcome } from './http-outcome.js';
import { issuerRequestOf } from './issuer-request.js';

const unexpectedErrorLines = new LogBudget(10);

/** Notes errors of oidc-provider itself for the access log, and logs unexpected ones. `name` is of the endpoint. */
export function observeProviderErrors(provider: Provider, name: string, logger: Logger, org?: string): void {
  provider.on('server_error', (ctx, err) => {
    // An unavailable dependency is expected, and the access log line names it.
    const { origin, error_detail: detail } = err as { origin?: ErrorOrigin; error_detail?: string };
    noteOutcome(ctx.req, {
      code: 'server_error',
      detail: detail ?? String(err),
      origin: origin ?? { dependency: name, cause: 'internal' },
    });
    if (!origin && unexpectedErrorLines.take())
      logger.error(
        { requestId: issuerRequestOf(ctx).info.id, ...(org !== undefined && { org }), err },
        `The ${name} failed unexpectedly; the response is 500`,
      );
  });
  // Broken connections. Without a listener Koa would write them to standard error.
  (provider as EventEmitter).on('error', (err: Error) =>
    logger.debug({ err: err.message }, `A client of the ${name} disconnected`),
  );
}
