import type { FastifyInstance } from 'fastify';
import type { RequestLimits } from './request-limits.js';

/** Holds every request to the limits of its route, before anything else is done for it. */
export function limitRequests(fastify: FastifyInstance, limits: RequestLimits): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    try {
      limits.admit(request, reply);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}
