import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { AppError } from '../errors/app-error.js';

export { SpanKind } from '@opentelemetry/api';

/** The header and the NATS header that carry the position in a trace (W3C Trace Context). */
export const traceHeader = 'traceparent';

export interface SpanDescription {
  /** From a closed list of names: a route template, a subject, a statement. Never data of a request. */
  name: string;
  kind: SpanKind;
  attributes: Attributes;
}

/** Set while traces are exported (sdk.ts). Everything here does nothing before. */
let tracer: Tracer | undefined;

export function useTracer(chosen: Tracer | undefined): void {
  tracer = chosen;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function parseTraceparent(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = form.exec(traceparent ?? '') ?? [];
  const parsed = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(parsed) ? parsed : undefined;
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

function isSampled(spanContext: SpanContext | undefined): boolean {
  return spanContext !== undefined && (spanContext.traceFlags & TraceFlags.SAMPLED) !== 0;
}

/** The sampled trace in which the current work runs. */
export function currentTrace(): { traceId: string; spanId: string } | undefined {
  const current = tracer && trace.getSpanContext(context.active());
  return current && isSampled(current) ? { traceId: current.traceId, spanId: current.spanId } : undefined;
}

/** The trace of the current work as labels of an exemplar, which links a latency in a metric to a trace. */
export function exemplar(): { trace_id: string; span_id: string } | undefined {
  const current = currentTrace();
  return current && { trace_id: current.traceId, span_id: current.spanId };
}

/**
 * Runs `work` in a span of the current trace, and passes on the span's `traceparent` for the next process. Without a
 * sampled trace it only runs `work`: background work begins no traces. A failure is recorded by its code, never by its
 * message, which may contain data.
 */
export function inSpan<T>(
  describe: () => SpanDescription,
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  if (!tracer || !isSampled(trace.getSpanContext(context.active()))) return work(undefined);
  return runInSpan(startSpan(describe(), context.active()), work);
}

/** Runs `work` as part of the trace that another process began. */
export function inRemoteTrace<T>(traceparent: string | undefined, work: () => T): T {
  const remote = tracer && parseTraceparent(traceparent);
  return remote ? context.with(trace.setSpanContext(ROOT_CONTEXT, remote), work) : work();
}

/** Runs `work` in the current trace or, if there is none, in the one that is given. */
export function inTraceOf<T>(traceparent: () => string | undefined, work: () => T): T {
  if (!tracer || isSampled(trace.getSpanContext(context.active()))) return work();
  return inRemoteTrace(traceparent(), work);
}

/**
 * Runs work for several messages at once. If they belong to one trace, it is a span of that trace. Otherwise it is a
 * trace of its own with a link to each message, and each message's trace has a span that links back, so that every
 * trace shows when its message was processed.
 */
export function inSpanOfMessages<T>(
  describe: () => SpanDescription,
  traceparents: () => (string | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer) return work();
  const origins = traceparents().flatMap((one) => parseTraceparent(one) ?? []);
  const sampled = origins.filter(isSampled);
  const [first] = sampled;
  if (!first) return work();
  const description = describe();
  const parentOf = (origin: SpanContext) => trace.setSpanContext(ROOT_CONTEXT, origin);
  if (sampled.every(({ traceId }) => traceId === first.traceId)) {
    const others = sampled.filter(({ spanId }) => spanId !== first.spanId);
    return runInSpan(startSpan(description, parentOf(first), others), work);
  }
  const batch = startSpan(description, ROOT_CONTEXT, sampled);
  const each = sampled.map((origin) => startSpan(description, parentOf(origin), [batch.spanContext()]));
  return runInSpan(batch, work).finally(() => each.forEach((span) => span.end()));
}

function startSpan(
  { name, kind, attributes }: SpanDescription,
  parent: Context,
  linked: readonly SpanContext[] = [],
): Span {
  return tracer!.startSpan(name, { kind, attributes, links: linked.map((one) => ({ context: one })) }, parent);
}

async function runInSpan<T>(span: Span, work: (traceparent: string) => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(context.active(), span), () => work(traceparentOf(span.spanContext())));
  } catch (error) {
    recordFailure(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function recordFailure(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  span.setAttribute('error.type', [code, name].find((one) => typeof one === 'string') ?? 'Error');
  if (!(error instanceof AppError) || error.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
}

export interface EndOfRequest {
  /** Template of the route. */
  route: string | undefined;
  status: number;
  /** Code of the error catalogue. */
  code?: string | undefined;
}

/** The span of a request that this process received over HTTP. */
export interface RequestSpan {
  traceparent: string;
  /** Undefined if the trace is not sampled. */
  exemplar: { trace_id: string; span_id: string } | undefined;
  run<T>(work: () => T): T;
  end(outcome: EndOfRequest): void;
}

/**
 * Begins the span of a request over HTTP: in the trace that `parent` names, or a trace of its own. Only a header that
 * another service has set may be the parent (docs/adr/0025-caller-chosen-ids.md).
 * @returns undefined when traces are off
 */
export function startRequestSpan(method: string, parent?: string): RequestSpan | undefined {
  if (!tracer) return undefined;
  const remote = parseTraceparent(parent);
  const root = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
  const span = startSpan({ name: method, kind: SpanKind.SERVER, attributes: { 'http.request.method': method } }, root);
  const own = span.spanContext();
  return {
    traceparent: traceparentOf(own),
    exemplar: isSampled(own) ? { trace_id: own.traceId, span_id: own.spanId } : undefined,
    run: (work) => context.with(trace.setSpan(ROOT_CONTEXT, span), work),
    end: ({ route, status, code }) => {
      if (route) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
      span.setAttribute('http.response.status_code', status);
      if (code !== undefined || status >= 500) span.setAttribute('error.type', code ?? String(status));
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
