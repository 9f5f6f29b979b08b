import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorCauses, internalHeaders, type ErrorOrigin } from '@holdfast/contracts';
import { clientClosedRequest, requestsInFlight, type HttpObserver } from '@holdfast/service';
import { routeTemplate } from './request-context.js';

/** Lets every request that has a `requestContext` be counted and logged when its response is over, however it ended. */
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
    const told = reply.getHeader(internalHeaders.origin);
    if (told !== undefined) {
      void reply.removeHeader(internalHeaders.origin);
      request.requestContext.origin ??= originOf('auth', told);
    }
    done(null, payload);
  });
}

function observe(observer: HttpObserver, request: FastifyRequest, { raw }: FastifyReply): void {
  const { began, requestId, claims, code, detail, origin } = request.requestContext;
  const { shortId } = (request.params ?? {}) as { shortId?: string };
  observer.observe({
    requestId,
    method: request.method,
    route: routeTemplate(request) || undefined,
    status: raw.writableEnded ? raw.statusCode : clientClosedRequest,
    seconds: (performance.now() - began) / 1000,
    // What stands in the path of an anonymous request is anybody's text.
    org: claims?.org ?? (shortId !== undefined && /^[a-z0-9-]{3,32}$/.test(shortId) ? shortId : undefined),
    verified: claims !== undefined,
    clientId: claims?.client_id,
    code,
    // Of what a client did wrong the code says enough, and the text may name what it sent.
    detail: raw.statusCode >= 500 ? detail : undefined,
    origin,
  });
}

/**
 * What a service behind us says of its error, with the service in front. Labels of metrics come of it, so nothing else
 * passes.
 */
export function originOf(service: string, told: unknown): ErrorOrigin {
  const [dependency = '', cause] = typeof told === 'string' ? told.split(';') : [];
  const known = errorCauses.find((c) => c === cause) ?? 'unavailable';
  return { dependency: /^[a-z][a-z /]{0,60}$/.test(dependency) ? `${service}/${dependency}` : service, cause: known };
}
