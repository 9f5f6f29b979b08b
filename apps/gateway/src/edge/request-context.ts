import type { FastifyRequest } from 'fastify';
import type { Actor, ErrorCode, ErrorOrigin, RequestContext } from '@holdfast/contracts';
import { type ErrorForm } from '@holdfast/contracts/http';
import { newId, personalOrigin, type RequestSpan } from '@holdfast/platform';
import { templateOf } from '../endpoints/route.js';
import { isPerson, type CallerClaims } from './caller.js';
import { clientAddressOf } from './client-address.js';
import type { Recording } from './recording.js';
import { childOf, newTrace, type Trace } from './trace.js';

/** Data of one request. The first hook creates it (http.ts), guard and controllers complete it. */
export interface HttpRequestContext {
  /** When the request arrived, by performance.now(). */
  readonly startedAtMs: number;
  /** Address of the client, behind trusted proxies; empty when the connection was reset before it could be read. */
  readonly address: string;
  /** Our id, for log lines, events and records: one that a caller chose may name a customer, who may be erased. */
  readonly requestId: string;
  readonly trace: Trace;
  /** While traces are exported. It begins the trace of `trace`, never that of the caller. */
  readonly span?: RequestSpan | undefined;
  /** Ids in the headers of the response: those that the caller sent, if any, else ours. */
  readonly responseIds: { readonly requestId: string; readonly trace: Trace };
  /** Id of this request's one audit record. It is ours: a caller that repeats an X-Request-Id cannot hide a request. */
  readonly auditId: string;
  /** Verified claims; absent until the guard has authenticated the caller. */
  claims?: CallerClaims;
  /** The caller is a person who signed in too long ago to widen rights. */
  needsStepUp?: boolean;
  /** The app that authenticated at the token endpoint. */
  app?: { org: string; clientId: string };
  /** Code of the response of the token endpoint (RFC 6749 §5.2), when auth has refused the request over the bus. */
  oauthError?: string;
  /** Code of the error response. */
  code?: ErrorCode;
  /** Its detail, for operators. */
  detail?: string;
  /** The dependency that failed, when the error is not the caller's. */
  origin?: ErrorOrigin;
  /** When a response began that lasts for as long as its reader wants, by performance.now(). */
  streamedAtMs?: number;
  /** Format of this endpoint's errors. */
  readonly errorForm: ErrorForm;
  /** A command was sent and no reply arrived: the handler may have committed the record. */
  uncertain?: boolean;
  recording: Recording;
}

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: HttpRequestContext;
  }
}

/** Accepted form of an X-Request-Id; any other is replaced by a new id. */
const requestIdForm = /^[A-Za-z0-9._-]{1,128}$/;

export function newRequestContext(
  request: Pick<FastifyRequest, 'headers' | 'ip'> & Partial<Pick<FastifyRequest, 'ips'>>,
  errorForm: ErrorForm = 'problem',
  span?: RequestSpan,
): HttpRequestContext {
  const given = request.headers['x-request-id'];
  const requestId = newId();
  const continued = childOf(request.headers.traceparent);
  const own = span ? { traceparent: span.traceparent } : newTrace();
  const responseIds = {
    requestId: typeof given === 'string' && requestIdForm.test(given) ? given : requestId,
    trace: continued ?? own,
  };
  return {
    startedAtMs: performance.now(),
    address: clientAddressOf(request),
    requestId,
    trace: own,
    span,
    responseIds,
    auditId: newId(),
    errorForm,
    recording: { by: 'unsaid' },
  };
}

function actorOf(claims: CallerClaims): Actor {
  if (isPerson(claims)) return { type: 'person', id: claims.sub };
  return { type: 'app', id: claims.client_id, name: claims.client_name };
}

/** Templates by the router's path; bounded by the number of routes. */
const templates = new Map<string, string>();

/** The template of the matched route, as in the specification: `/o/{shortId}/…`. Empty when no route matched. */
export function routeTemplate(request: FastifyRequest): string {
  const { url = '' } = request.routeOptions;
  let template = templates.get(url);
  if (template === undefined) templates.set(url, (template = templateOf(url)));
  return template;
}

/** The matched route as `routeOf` writes that of an endpoint; GET endpoints serve HEAD too. */
export function matchedRoute(request: FastifyRequest): string {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return `${method} ${routeTemplate(request)}`;
}

/**
 * The request context that goes with commands and queries, with the origin of a person. It throws without verified
 * claims: a route lacks its guard.
 */
export function contextOf(request: FastifyRequest): RequestContext {
  const { claims } = request.requestContext;
  if (!claims) throw new Error(`No verified claims on ${request.method} ${routeTemplate(request)}`);
  const caller = context(request, claims.org, actorOf(claims));
  return isPerson(claims) ? withOrigin(caller, request) : caller;
}

/** The request context on a public route: the caller is anonymous, and the organization is that of the path. */
export function anonymousContextOf(request: FastifyRequest, shortId: string): RequestContext {
  return context(request, shortId, { type: 'anonymous', id: 'anonymous' });
}

/** Like anonymousContextOf, with the origin of the customer, which the handler's record may contain. */
export function customerContextOf(request: FastifyRequest, shortId: string): RequestContext {
  return withOrigin(anonymousContextOf(request, shortId), request);
}

function withOrigin(caller: RequestContext, { requestContext, headers }: FastifyRequest): RequestContext {
  const origin = personalOrigin(requestContext.address, headers['user-agent']);
  return { ...caller, request: { ...caller.request, ...origin } };
}

function context(request: FastifyRequest, org: string, actor: Actor): RequestContext {
  const { requestId, trace, auditId } = request.requestContext;
  const route = routeTemplate(request);
  return {
    org,
    actor,
    request: {
      id: requestId,
      traceparent: trace.traceparent,
      ...callerIdsOf(request.requestContext),
      method: request.method,
      route,
    },
    auditId,
  };
}

/**
 * The ids that the caller chose. They are stored only in the audit record, encrypted, so that an erasure deletes them.
 */
export function callerIdsOf({ requestId, trace, responseIds }: HttpRequestContext): {
  callerId?: string;
  callerTraceparent?: string;
} {
  return {
    ...(responseIds.requestId !== requestId && { callerId: responseIds.requestId }),
    ...(responseIds.trace !== trace && { callerTraceparent: responseIds.trace.traceparent }),
  };
}
