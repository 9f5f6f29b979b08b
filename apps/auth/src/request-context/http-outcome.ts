import type { IncomingMessage, ServerResponse } from 'node:http';
import { internalHeaders, type ErrorOrigin } from '@holdfast/contracts';
import { clientClosedRequest, type HttpObserver } from '@holdfast/service';
import { issuerRoute } from './issuer-paths.js';

/** What is found out about a request on its way, for its access line. */
export interface HttpOutcome {
  code?: string | undefined;
  detail?: string | undefined;
  clientId?: string | undefined;
  /** Whether that client proved to be itself. */
  verified?: boolean;
  org?: string | undefined;
  origin?: ErrorOrigin | undefined;
}

const outcomes = new WeakMap<IncomingMessage, HttpOutcome>();

/** Adds to what is known of a request. */
export function noteOutcome(request: IncomingMessage, found: HttpOutcome): void {
  outcomes.set(request, { ...outcomes.get(request), ...found });
}

/** For the gateway, which has the same request in its own log and metrics. */
export function originHeaders(request: IncomingMessage): Record<string, string> {
  const { origin } = outcomes.get(request) ?? {};
  return origin ? { [internalHeaders.origin]: `${origin.dependency};${origin.cause}` } : {};
}

/** Observes a request when its response is over. `began` is in ms of performance.now(). */
export function observeOnClose(
  observer: HttpObserver,
  request: IncomingMessage,
  response: ServerResponse,
  began: number,
): void {
  const { method = '', url = '', headers } = request;
  const path = url.split('?')[0]!;
  const { route, org } = issuerRoute(path) ?? {
    route: /^\/(oauth2\/token|\.well-known\/oauth-authorization-server)$/.test(path) ? path : undefined,
    org: undefined,
  };
  response.once('close', () => {
    const outcome = outcomes.get(request) ?? {};
    observer.observe({
      requestId: typeof headers['x-request-id'] === 'string' ? headers['x-request-id'].slice(0, 128) : '',
      method,
      route,
      status: response.writableEnded ? response.statusCode : clientClosedRequest,
      seconds: (performance.now() - began) / 1000,
      verified: false,
      ...outcome,
      org: outcome.org ?? org,
    });
  });
}
