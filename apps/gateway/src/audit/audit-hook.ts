import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import {
  appendRecords,
  outcomes,
  shortId as shortIdSchema,
  type Action,
  type AuditRecord,
  type RequestContext,
} from '@holdfast/contracts';
import { routeOf, type Endpoint } from '@holdfast/contracts/http';
import { wasNotStarted } from '@holdfast/messaging';
import { AppError, auditRecord, networkOf, unavailable, type Clock } from '@holdfast/platform';
import type { CallerClaims } from '../edge/caller.js';
import { renderError } from '../edge/problems/render-error.js';
import { hasRecord, targetsOf } from '../edge/recording.js';
import { anonymousContextOf, contextOf, matchedRoute } from '../edge/request-context.js';

type Outcome = AuditRecord['outcome'];

/** The caller gets its response within this time after the request arrived, even if the log is unavailable. */
const responseDeadlineMs = 1900;
/** The log gets at least this time, however late the request is: an available log needs no longer. */
const minAppendMs = 300;

/** Headers that reveal nothing of the response: a 503 that replaces it keeps them. */
const neutralHeaders = new Set([
  'x-request-id',
  'holdfast-request-id',
  'traceparent',
  'cache-control',
  'x-content-type-options',
  'referrer-policy',
  'x-frame-options',
  'strict-transport-security',
  'vary',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'ratelimit',
  'ratelimit-policy',
]);

/** `denied` when the caller may not make the request (401, 403), `failure` for every other error. */
export function outcomeOf(status: number, code?: string): Outcome {
  const result: (typeof outcomes)[number] =
    status < 400 ? 'success' : status === 401 || status === 403 ? 'denied' : 'failure';
  return { result, status, ...(code && { code }) };
}

/**
 * One request, one record (product §7): the gateway appends the record of each request that no handler has recorded
 * with its change, before the response leaves. While audit is unavailable the response is 503 without data, so that the
 * log has no gap.
 */
export class AuditHook {
  private readonly endpoints: Map<string, Endpoint>;

  constructor(
    private readonly audit: AuditWriter,
    private readonly deniedRequests: DeniedRequestCounter,
    endpoints: readonly Endpoint[],
    private readonly baseUrl: string,
    private readonly clock: Clock,
    /** The verified claims of the caller; rejects when the token is invalid. */
    private readonly identify: (request: FastifyRequest) => Promise<CallerClaims>,
  ) {
    this.endpoints = new Map(endpoints.map((e) => [routeOf(e), e]));
  }

  /** A Fastify onSend hook. @returns the payload, or that of a 503 which replaces the response */
  async beforeSend(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const { requestContext } = request;
    const endpoint = this.endpoints.get(matchedRoute(request));
    if (
      endpoint ? !endpoint.action || hasRecord(requestContext.recording) : request.headers.authorization === undefined
    )
      return payload;
    try {
      if (endpoint?.action) await this.record(endpoint.action, endpoint, request, reply.statusCode);
      else await this.countUnroutable(request, reply.statusCode);
      return payload;
    } catch (error) {
      return this.withhold(request, reply, error);
    }
  }

  private record(action: Action, endpoint: Endpoint, request: FastifyRequest, status: number): Promise<void> {
    const { requestContext } = request;
    // Product §7: requests over a limit are counted like 401, so that they cannot flood the log.
    const context =
      requestContext.code === 'rate_limited' || wasNotStarted(requestContext)
        ? undefined
        : recordContextOf(endpoint, request);
    if (!context) return this.count(action, endpoint, request, status);
    const { recording } = requestContext;
    if (recording.by === 'unsaid' && status < 400)
      throw new Error(
        `The controller of ${routeOf(endpoint)} does not say who records the request (edge/recording.ts)`,
      );
    const record = auditRecord(context, this.clock.now(), {
      action,
      targets: targetsOf(recording),
      outcome: {
        ...outcomeOf(status, requestContext.code),
        ...(recording.by === 'gateway' && recording.replayed && { replay: true }),
      },
    });
    const remainingMs = responseDeadlineMs - (performance.now() - requestContext.startedAtMs);
    return this.audit.append(context.org, record, {
      ...(requestContext.uncertain && { provisional: true }),
      timeoutMs: Math.min(appendRecords.timeoutMs, Math.max(remainingMs, minAppendMs)),
    });
  }

  /** Replaces the response by a 503. Its other headers are removed too: they may reveal as much as the body. */
  private withhold({ requestContext }: FastifyRequest, reply: FastifyReply, cause: unknown): string {
    const { detail = String(cause), origin = { dependency: 'audit', cause: 'unavailable' } } =
      cause instanceof AppError ? cause : {};
    Object.assign(requestContext, { code: 'unavailable', detail: `not recorded: ${detail}`, origin });
    const error = unavailable('The audit log cannot be written right now, so no data is returned.');
    for (const name of Object.keys(reply.getHeaders())) if (!neutralHeaders.has(name)) void reply.removeHeader(name);
    const { headers, body } = renderError(error, requestContext, this.baseUrl);
    // The original response may be cacheable for a year; the 503 is not.
    void reply.code(error.status).headers({ 'cache-control': 'no-store', ...headers });
    return body;
  }

  /**
   * Counts a request that matches no endpoint (404, 405) for the app whose token it has: somebody may be probing what a
   * stolen token gives access to. The path is arbitrary text and may name a customer, so the record has no path. A
   * request without a valid token concerns no organization and is not counted.
   */
  private async countUnroutable(request: FastifyRequest, status: number): Promise<void> {
    const claims = await this.identify(request).catch((error: unknown) => {
      if (error instanceof AppError && error.code !== 'unavailable') return undefined;
      throw error;
    });
    if (!claims) return;
    request.requestContext.claims = claims;
    const context = contextOf(request);
    const { id: _, ...record } = auditRecord(
      { ...context, request: { ...context.request, route: '*' } },
      this.clock.now(),
      {
        action: 'request.denied',
        targets: [],
        outcome: outcomeOf(status, request.requestContext.code),
      },
    );
    await this.deniedRequests.count(claims.org, record, networkOf(request.requestContext.address));
  }

  /** Counts a request per minute. Without verified claims it counts for the organization of the path. */
  private async count(
    action: Action,
    { operation, countAs }: Endpoint,
    request: FastifyRequest,
    status: number,
  ): Promise<void> {
    const { shortId } = request.params as { shortId?: string };
    const { claims } = request.requestContext;
    const denied = operation
      ? status === 401 || status === 429 || wasNotStarted(request.requestContext)
      : status >= 400;
    const countedAction = !denied ? countAs : operation ? 'request.denied' : action;
    // Only a valid short id can have a log, and an invalid one in a batch would keep the other counts from being
    // stored.
    if (!countedAction || shortId === undefined || !shortIdSchema.safeParse(shortId).success) return;
    const { id: _, ...record } = auditRecord(
      claims ? contextOf(request) : anonymousContextOf(request, shortId),
      this.clock.now(),
      {
        action: countedAction,
        targets: [],
        outcome: outcomeOf(status, request.requestContext.code),
      },
    );
    await this.deniedRequests.count(claims?.org ?? shortId, record, networkOf(request.requestContext.address));
  }
}

/** The context of the request's own audit record. @returns undefined when the request is counted instead */
function recordContextOf(
  { operation, recordEach = [] }: Endpoint,
  request: FastifyRequest,
): RequestContext | undefined {
  const { claims, code, uncertain } = request.requestContext;
  if (claims) return contextOf(request);
  const { shortId } = request.params as { shortId?: string };
  if (operation || shortId === undefined || !code) return undefined;
  return recordEach.includes(code) || (uncertain && recordEach.length > 0)
    ? anonymousContextOf(request, shortId)
    : undefined;
}
