import { outcomes, type AuditRecord } from '@holdfast/contracts';
import { AuditWriter, RefusalCounter } from '@holdfast/bus';
import { auditRecord, unavailable } from '@holdfast/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemHeaders, problemOf, problemType } from '../errors/problem.js';
import { contextOf, routeTemplate } from '../routing/call.js';
import type { Endpoint } from '../routing/endpoint.js';

type Outcome = AuditRecord['outcome'];

/** Said by its status: refused for who the caller is, or failed for what was asked. */
export function outcomeOf(status: number, code?: string): Outcome {
  const result: (typeof outcomes)[number] = status < 400 ? 'success' : status === 401 || status === 403 ? 'denied' : 'failure';
  return { result, status, ...(code && { code }) };
}

/**
 * One request, one record (product §7): what no handler has recorded with its change is recorded here, before the answer
 * leaves. When audit is away, the caller gets 503 and no data: there is no silent gap.
 */
export class AuditHook {
  private readonly endpoints: Map<string, Endpoint>;

  constructor(
    private readonly audit: AuditWriter,
    private readonly refusals: RefusalCounter,
    endpoints: readonly Endpoint[],
    private readonly baseUrl: string,
  ) {
    this.endpoints = new Map(endpoints.map((e) => [`${e.method} ${e.path}`, e]));
  }

  /** A Fastify onSend hook: may replace the answer. */
  async beforeSend(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const { call } = request;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const endpoint = this.endpoints.get(`${method} ${routeTemplate(request)}`);
    if (!endpoint?.action || call.audited) return payload;
    if (!call.claims) {
      this.countRefusal(request, reply.statusCode);
      return payload;
    }
    try {
      const record = auditRecord(contextOf(request), new Date(), { action: endpoint.action, targets: call.targets, outcome: outcomeOf(reply.statusCode, call.code) });
      await this.audit.append(call.claims.org, record, call.uncertain);
      return payload;
    } catch {
      const error = unavailable('The audit log cannot be written right now, so nothing is given out.');
      void reply.code(error.status).headers(problemHeaders(error, this.baseUrl)).type(problemType).removeHeader('content-length');
      return JSON.stringify(problemOf(error, call.requestId, this.baseUrl));
    }
  }

  /** 401: nobody is known, so the organization of the path is told, counted by the minute. */
  private countRefusal(request: FastifyRequest, status: number): void {
    const { shortId } = request.params as { shortId?: string };
    const { requestId, trace, code } = request.call;
    if (status !== 401 || shortId === undefined) return;
    this.refusals.count(shortId, {
      occurredAt: new Date().toISOString(),
      action: 'api.refused',
      actor: { type: 'anonymous', id: 'anonymous' },
      targets: [],
      outcome: outcomeOf(status, code),
      request: { id: requestId, traceparent: trace.traceparent, method: request.method, route: routeTemplate(request) },
    });
  }
}
