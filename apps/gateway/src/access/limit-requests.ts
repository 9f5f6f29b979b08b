import type { FastifyInstance } from 'fastify';
import type { RequestLimits } from './request-limits.js';

/** Applies the limits of its route to every request, before any other work is done for it. */
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
