import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import {
  appendRecords,
  outcomes,
  shortId as shortIdSchema,
  type AccessTokenClaims,
  type Action,
  type AuditRecord,
  type RequestContext,
} from '@holdfast/contracts';
import { wasNotStarted } from '@holdfast/messaging';
import { AppError, auditRecord, networkOf, unavailable, type Clock } from '@holdfast/platform';
import { renderError } from '../edge/problems/render-error.js';
import { anonymousContextOf, contextOf, routeTemplate } from '../edge/request-context.js';
import type { Endpoint } from '../endpoints/endpoint.js';

type Outcome = AuditRecord['outcome'];

/** By when a caller hears that the log is away, in ms since the request came, even if it was asked something before. */
const responseDeadlineMs = 1900;
/** What a log that is not away needs at most, in ms. */
const minAppendMs = 300;

/** Headers that every answer carries, whatever it says (http.ts). */
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

/** Said by its status: refused for who the caller is, or failed for what was asked. */
export function outcomeOf(status: number, code?: string): Outcome {
  const result: (typeof outcomes)[number] =
    status < 400 ? 'success' : status === 401 || status === 403 ? 'denied' : 'failure';
  return { result, status, ...(code && { code }) };
}

/**
 * One request, one record (product §7): what no handler has recorded with its change is recorded here, before the
 * answer leaves. When audit is away, the caller gets 503 and no data: there is no silent gap.
 */
export class AuditHook {
  private readonly endpoints: Map<string, Endpoint>;

  constructor(
    private readonly audit: AuditWriter,
    private readonly deniedRequests: DeniedRequestCounter,
    endpoints: readonly Endpoint[],
    private readonly baseUrl: string,
    private readonly clock: Clock,
    /** The claims of whoever calls; rejects when their token is not good. */
    private readonly identify: (request: FastifyRequest) => Promise<AccessTokenClaims>,
  ) {
    this.endpoints = new Map(endpoints.map((e) => [`${e.method} ${e.path}`, e]));
  }

  /** A Fastify onSend hook: may replace the answer. */
  async beforeSend(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const { requestContext } = request;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const endpoint = this.endpoints.get(`${method} ${routeTemplate(request)}`);
    if (
      endpoint
        ? !endpoint.action || requestContext.answeredByAuth || requestContext.audited
        : request.headers.authorization === undefined
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
    // Product §7: counted like 401, since whoever is over a limit would otherwise fill the log by it.
    const context =
      requestContext.code === 'rate_limited' || wasNotStarted(requestContext)
        ? undefined
        : recordedFor(endpoint, request);
    if (!context) return this.count(action, endpoint, request, status);
    const record = auditRecord(context, this.clock.now(), {
      action,
      targets: requestContext.targets,
      outcome: { ...outcomeOf(status, requestContext.code), ...(requestContext.replayed && { replay: true }) },
    });
    const left = responseDeadlineMs - (performance.now() - requestContext.began);
    return this.audit.append(context.org, record, {
      ...(requestContext.uncertain && { provisional: true }),
      timeoutMs: Math.min(appendRecords.timeoutMs, Math.max(left, minAppendMs)),
    });
  }

  /** Puts 503 in the place of an answer, of which nothing stays: headers may say as much as a body. */
  private withhold({ requestContext }: FastifyRequest, reply: FastifyReply, cause: unknown): string {
    const { detail = String(cause), origin = { dependency: 'audit', cause: 'unavailable' } } =
      cause instanceof AppError ? cause : {};
    Object.assign(requestContext, { code: 'unavailable', detail: `not recorded: ${detail}`, origin });
    const error = unavailable('The audit log cannot be written right now, so nothing is given out.');
    for (const name of Object.keys(reply.getHeaders())) if (!neutralHeaders.has(name)) void reply.removeHeader(name);
    const { headers, body } = renderError(error, requestContext, this.baseUrl);
    // What may be kept for a year is the answer, not its refusal.
    void reply.code(error.status).headers({ 'cache-control': 'no-store', ...headers });
    return body;
  }

  /**
   * What leads to no endpoint (404, 405) is counted as the app whose token came with it: somebody may be trying out
   * what a stolen token opens. The path is anybody's text and may name a customer, so it stays out of the log. Without
   * a good token it concerns no organization.
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

  /** Nobody is known (401, or a public route), so the organization of the path is told, counted by the minute. */
  private async count(
    action: Action,
    { operation, countAs }: Endpoint,
    request: FastifyRequest,
    status: number,
  ): Promise<void> {
    const { shortId } = request.params as { shortId?: string };
    const { claims } = request.requestContext;
    const refused = operation
      ? status === 401 || status === 429 || wasNotStarted(request.requestContext)
      : status >= 400;
    const counted = !refused ? countAs : operation ? 'request.denied' : action;
    // What no organization can be called has no log; and what cannot be stored would keep others from being counted.
    if (!counted || shortId === undefined || !shortIdSchema.safeParse(shortId).success) return;
    const { id: _, ...record } = auditRecord(
      claims ? contextOf(request) : anonymousContextOf(request, shortId),
      this.clock.now(),
      {
        action: counted,
        targets: [],
        outcome: outcomeOf(status, request.requestContext.code),
      },
    );
    await this.deniedRequests.count(claims?.org ?? shortId, record, networkOf(request.requestContext.address));
  }
}

/** In whose name this request gets a record of its own; undefined when it gets none. */
function recordedFor({ operation, recordEach = [] }: Endpoint, request: FastifyRequest): RequestContext | undefined {
  const { claims, code, uncertain } = request.requestContext;
  if (claims) return contextOf(request);
  const { shortId } = request.params as { shortId?: string };
  if (operation || shortId === undefined || !code) return undefined;
  return recordEach.includes(code) || (uncertain && recordEach.length > 0)
    ? anonymousContextOf(request, shortId)
    : undefined;
}
