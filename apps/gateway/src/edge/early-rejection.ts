import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import type { ErrorForm } from '@holdfast/contracts/http';
import { loadOf } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import type { HttpObserver } from '@holdfast/service';
import { isProbe } from '../health/health.controller.js';
import { Backlog } from './backlog.js';
import type { PacedRejections } from './paced-rejections.js';
import { isNavigation } from './problems/error-page.js';
import type { RawErrorWriter } from './problems/raw-error.js';
import { newRequestContext, routeTemplate } from './request-context.js';

/**
 * Emitted at a response that takes long without work, such as a stream of events: it is no request in progress any
 * more.
 */
export const endedAdmission = Symbol('endedAdmission');

/** With fewer concurrent requests, a late event loop means that the machine is busy otherwise, not an overload. */
const minConcurrentRequests = 64;

/**
 * What has too much to do. `gateway`: this process has too many requests in progress; `network`: the caller has too
 * many of its own.
 */
export type Overload = 'event loop' | 'gateway' | 'service' | 'auth' | 'network';

const rejected = new Counter({
  name: 'holdfast_early_rejections_total',
  help:
    'Requests that were rejected before any work, since the event loop was late by more than MAX_BACKLOG_MS, or the ' +
    'limit of requests in progress (`gateway`), to their `service`, to `auth`, or of their `network` to auth was ' +
    'reached',
  labelNames: ['because'],
});

const overloaded = unavailable('This server is overloaded; try again in a moment.', 1, {
  dependency: 'admission',
  cause: 'overloaded',
});
const errors: Record<Overload, AppError> = {
  'event loop': overloaded,
  gateway: overloaded,
  service: overloaded,
  auth: overloaded,
  network: new AppError('rate_limited', undefined, { retryAfter: 1 }),
};

interface EarlyRejection {
  maxBacklogMs: number;
  /** Requests in progress. */
  maxRequests: number;
  rejections: PacedRejections;
  /** Why a later limit would reject this request, by the limit's present state; undefined when it would not. */
  limitReached: (request: FastifyRequest) => Overload | undefined;
  errorFormOf: (request: FastifyRequest) => ErrorForm | undefined;
  writeError: RawErrorWriter;
  observer: HttpObserver;
  backlog?: Backlog;
}

/**
 * Rejects a request that has no prospect before anything is done for it: no ids, no body, no token, no further hook. At
 * five times the load that a server can handle, it rejects four requests for each one that it serves, so a rejection
 * that costs a fourth of a response costs half of the capacity. Probes and navigations of people get their responses
 * from the route.
 */
export function rejectEarly(
  fastify: FastifyInstance,
  {
    maxBacklogMs,
    maxRequests,
    rejections,
    limitReached,
    errorFormOf,
    writeError,
    observer,
    backlog = new Backlog(),
  }: EarlyRejection,
): void {
  let inProgress = 0;
  let draining = false;
  const load = loadOf('requests');
  fastify.addHook('onClose', () => backlog.stop());
  // A client that waits for its response would keep its connection, and the server would wait for it.
  fastify.addHook('preClose', async () => {
    draining = true;
    rejections.stop();
  });

  /** Fewer requests are never late, however late the event loop is. */
  const lateness = (): number => (inProgress < minConcurrentRequests ? 0 : backlog.ageMs() / maxBacklogMs);

  const overloadOf = (request: FastifyRequest): Overload | undefined => {
    const overload = lateness() > 1 ? 'event loop' : inProgress >= maxRequests ? 'gateway' : limitReached(request);
    if (!overload || isProbe(request.routeOptions.url ?? '') || isNavigation(request)) return undefined;
    return overload;
  };

  /** Counts a request until its response is sent, its audit record included: that queue has no other limit. */
  const begin = ({ raw }: FastifyRequest, response: ServerResponse): void => {
    let state: 'arriving' | 'in progress' | 'closed' = 'arriving';
    const count = (): void => {
      if (state === 'closed') return;
      state = 'in progress';
      inProgress += 1;
      if (inProgress === 1) backlog.start();
    };
    const end = (): void => {
      if (state === 'in progress' && (inProgress -= 1) === 0) backlog.stop();
      state = 'closed';
    };
    response.once('close', end).once(endedAdmission, end);
    // A request whose sender is slow is no work yet, so slow senders cannot take all places.
    if (hasBody(raw)) raw.once('end', count);
    else count();
  };

  fastify.addHook('onRequest', (request, reply, done) => {
    const overload = overloadOf(request);
    if (!overload) {
      load.accept(Math.min(1, Math.max(lateness(), inProgress / maxRequests)));
      begin(request, reply.raw);
      return done();
    }
    rejected.inc({ because: overload });
    // More replicas of the gateway would have served these. They do not make auth faster.
    if (overload !== 'auth' && overload !== 'network') load.reject();
    reply.hijack();
    // A body that is left unread would be parsed as the next request, and one that is kept would take memory.
    request.raw.resume();
    rejections.reject(request.raw.socket, reply.raw, () => respond(request, reply.raw, errors[overload]));
  });

  function respond(request: FastifyRequest, response: ServerResponse, error: AppError): void {
    const context = newRequestContext(request, errorFormOf(request));
    if (draining) response.shouldKeepAlive = false;
    writeError(error, context, response);
    const { code, origin, status } = error;
    const { requestId } = context;
    const route = routeTemplate(request) || undefined;
    // A rejection counts as an error, and not as slow too: one network over its limit would raise alerts of latency.
    observer.observe({ requestId, method: request.method, route, status, seconds: 0, code, origin });
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
}
