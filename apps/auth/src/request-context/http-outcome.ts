import type { IncomingMessage, ServerResponse } from 'node:http';
import { internalHeaders, type ErrorOrigin } from '@holdfast/contracts';
import { AppError, traceIdOf, type RequestSpan } from '@holdfast/platform';
import { clientClosedRequest, type HttpObserver } from '@holdfast/service';
import { issuerRoute } from './issuer-paths.js';

/** Facts about a request that are collected while it is processed, for its access log line. */
export interface HttpOutcome {
  code?: string | undefined;
  detail?: string | undefined;
  clientId?: string | undefined;
  /** Whether the client authenticated. */
  verified?: boolean;
  org?: string | undefined;
  origin?: ErrorOrigin | undefined;
}

const outcomes = new WeakMap<IncomingMessage, HttpOutcome>();

/** Adds facts about a request. */
export function noteOutcome(request: IncomingMessage, outcome: HttpOutcome): void {
  outcomes.set(request, { ...outcomes.get(request), ...outcome });
}

/** Notes that a response is 503 because its audit record could not be appended. */
export function noteUnrecorded(request: IncomingMessage, error: unknown): void {
  const { origin = { dependency: 'audit', cause: 'unavailable' as const } } = error instanceof AppError ? error : {};
  noteOutcome(request, { code: 'temporarily_unavailable', detail: `not recorded: ${String(error)}`, origin });
}

/** Headers that name the failed dependency, for log and metrics of the gateway. */
export function originHeaders(request: IncomingMessage): Record<string, string> {
  const { origin } = outcomes.get(request) ?? {};
  return origin ? { [internalHeaders.origin]: `${origin.dependency};${origin.cause}` } : {};
}

/** Logs and counts a request when its response is closed. `startedAtMs` is a time of performance.now(). */
export function observeOnClose(
  observer: HttpObserver,
  request: IncomingMessage,
  response: ServerResponse,
  startedAtMs: number,
  span?: RequestSpan,
): void {
  const { method = '', url = '', headers } = request;
  const path = url.split('?')[0]!;
  const { route, org } = issuerRoute(path) ?? {
    route: /^\/(oauth2\/token|\.well-known\/oauth-authorization-server)$/.test(path) ? path : undefined,
    org: undefined,
  };
  response.once('close', () => {
    const outcome = outcomes.get(request) ?? {};
    const status = response.writableEnded ? response.statusCode : clientClosedRequest;
    span?.end({ route, status, code: outcome.code });
    observer.observe({
      requestId: typeof headers['x-request-id'] === 'string' ? headers['x-request-id'].slice(0, 128) : '',
      method,
      route,
      status,
      traceId: typeof headers.traceparent === 'string' ? traceIdOf(headers.traceparent) : undefined,
      exemplar: span?.exemplar,
      seconds: (performance.now() - startedAtMs) / 1000,
      verified: false,
      ...outcome,
      org: outcome.org ?? org,
    });
  });
}
