import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorCauses, internalHeaders, type ErrorOrigin } from '@holdfast/contracts';
import { traceIdOf } from '@holdfast/platform';
import { clientClosedRequest, requestsInFlight, type HttpObserver } from '@holdfast/service';
import { routeTemplate } from './request-context.js';

/** Counts and logs every request that has a `requestContext` when its response ends, completed or not. */
export function observeRequests(fastify: FastifyInstance, observer: HttpObserver): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    requestsInFlight.inc();
    reply.raw.once('close', () => {
      requestsInFlight.dec();
      observe(observer, request, reply);
    });
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const origin = reply.getHeader(internalHeaders.origin);
    if (origin !== undefined) {
      void reply.removeHeader(internalHeaders.origin);
      request.requestContext.origin ??= parseErrorOrigin('auth', origin);
    }
    done(null, payload);
  });
}

function observe(observer: HttpObserver, request: FastifyRequest, { raw }: FastifyReply): void {
  const { startedAtMs, streamedAtMs, requestId, trace, span, claims, app, oauthError, detail, origin } =
    request.requestContext;
  const { code = oauthError } = request.requestContext;
  const { shortId } = (request.params ?? {}) as { shortId?: string };
  const outcome = {
    route: routeTemplate(request) || undefined,
    status: raw.writableEnded || streamedAtMs !== undefined ? raw.statusCode : clientClosedRequest,
    code,
  };
  span?.end(outcome);
  observer.observe({
    ...outcome,
    requestId,
    traceId: traceIdOf(trace.traceparent),
    exemplar: span?.exemplar,
    method: request.method,
    // The end of a stream says nothing about how long the caller waited.
    seconds: ((streamedAtMs ?? performance.now()) - startedAtMs) / 1000,
    // The path of an anonymous request is arbitrary text: only the form of a short id is accepted.
    org: claims?.org ?? app?.org ?? (shortId !== undefined && /^[a-z0-9-]{3,32}$/.test(shortId) ? shortId : undefined),
    verified: claims !== undefined || app !== undefined,
    clientId: claims?.client_id ?? app?.clientId,
    // For errors of clients the code is enough, and the text may quote what the client sent.
    detail: raw.statusCode >= 500 ? detail : undefined,
    origin,
  });
}

/**
 * Parses the origin header of a service's error response and puts the service in front of the dependency. Labels of
 * metrics are made from the result, so any other text is replaced.
 */
export function parseErrorOrigin(service: string, header: unknown): ErrorOrigin {
  const [dependency = '', cause] = typeof header === 'string' ? header.split(';') : [];
  return {
    dependency: /^[a-z][a-z /]{0,60}$/.test(dependency) ? `${service}/${dependency}` : service,
    cause: errorCauses.find((known) => known === cause) ?? 'unavailable',
  };
}
