import type { FastifyRequest } from 'fastify';
import type {
  AccessTokenClaims,
  Actor,
  AuditTarget,
  ErrorCode,
  ErrorOrigin,
  RequestContext,
} from '@holdfast/contracts';
import { newId, personalOrigin } from '@holdfast/platform';
import type { ErrorForm } from '../endpoints/endpoint.js';
import { childOf, newTrace, type Trace } from './trace.js';

/** What is known about a request while it is being answered. Made at the door, filled in by guard and controllers. */
export interface HttpRequestContext {
  /** When the request came, in ms of performance.now(). */
  readonly began: number;
  /** Where it comes from, behind trusted proxies; empty when the connection was reset before we could ask. */
  readonly address: string;
  /** Ours, for log lines, events and records: what a caller chose may name a customer, who may be erased. */
  readonly requestId: string;
  readonly trace: Trace;
  /** What the answer carries: what the caller sent, if anything, else ours. */
  readonly shown: { readonly requestId: string; readonly trace: Trace };
  /** Id of this request's one audit record: ours, so that a caller who repeats an X-Request-Id cannot hide a call. */
  readonly auditId: string;
  /** Verified claims; absent until the guard has let the caller in. */
  claims?: AccessTokenClaims;
  /** Code of the error that is being answered. */
  code?: ErrorCode;
  /** What it says, for operators. */
  detail?: string;
  /** Which dependency failed, when the error is ours. */
  origin?: ErrorOrigin;
  /** The handler wrote the record together with its change. */
  audited?: boolean;
  /** Nothing was done: the answer is that of an earlier request with the same Idempotency-Key. */
  replayed?: boolean;
  /** The answer is auth's, which has recorded the request. */
  answeredByAuth?: boolean;
  /** How errors of this endpoint are written. */
  readonly errorForm: ErrorForm;
  /** A command was sent and no answer came: the handler may have written the record. */
  uncertain?: boolean;
  targets: AuditTarget[];
}

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: HttpRequestContext;
  }
}

/** Grammar of an X-Request-Id that we take over; anything else is replaced by one of ours. */
const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

export function newRequestContext(
  request: Pick<FastifyRequest, 'headers' | 'ip'>,
  errorForm: ErrorForm = 'problem',
): HttpRequestContext {
  const given = request.headers['x-request-id'];
  const requestId = newId();
  const continued = childOf(request.headers.traceparent);
  const trace = continued ?? newTrace();
  const shown = { requestId: typeof given === 'string' && acceptable.test(given) ? given : requestId, trace };
  return {
    began: performance.now(),
    address: request.ip ?? '',
    requestId,
    trace: continued ? newTrace() : trace,
    shown,
    auditId: newId(),
    errorForm,
    targets: [],
  };
}

export function actorOf({ client_id, client_name }: AccessTokenClaims): Actor {
  return { type: 'app', id: client_id, name: client_name };
}

/** By the router's own way of writing: as many as there are routes. */
const templates = new Map<string, string>();

/** The template of the matched route with the specification's way of writing parameters. */
export function routeTemplate(request: FastifyRequest): string {
  const { url = '' } = request.routeOptions;
  let template = templates.get(url);
  if (template === undefined) templates.set(url, (template = url.replace(/:([A-Za-z]+)/g, '{$1}')));
  return template;
}

/** What the services are told about the request. Throws when nobody was let in: a route forgot its guard. */
export function contextOf(request: FastifyRequest): RequestContext {
  const { claims } = request.requestContext;
  if (!claims) throw new Error(`no caller on ${request.method} ${routeTemplate(request)}`);
  return context(request, claims.org, actorOf(claims));
}

/** The same on a public route, where nobody is known and the organization is that of the path. */
export function anonymousContextOf(request: FastifyRequest, shortId: string): RequestContext {
  return context(request, shortId, { type: 'anonymous', id: 'anonymous' });
}

/** The same where a customer acts, of whom the handler's record will tell: it may say where they came from. */
export function customerContextOf(request: FastifyRequest, shortId: string): RequestContext {
  const anonymous = anonymousContextOf(request, shortId);
  return {
    ...anonymous,
    request: { ...anonymous.request, ...personalOrigin(request.requestContext.address, request.headers['user-agent']) },
  };
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
      ...chosenByCaller(request.requestContext),
      method: request.method,
      route,
    },
    auditId,
  };
}

/**
 * Travels with the request, and is stored in one place alone: in its audit record, sealed, so that an erasure reaches
 * it.
 */
export function chosenByCaller({ requestId, trace, shown }: HttpRequestContext): {
  callerId?: string;
  callerTraceparent?: string;
} {
  return {
    ...(shown.requestId !== requestId && { callerId: shown.requestId }),
    ...(shown.trace !== trace && { callerTraceparent: shown.trace.traceparent }),
  };
}
