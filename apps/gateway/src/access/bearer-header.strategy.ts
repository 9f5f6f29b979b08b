import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';
import { bearerToken } from './bearer-header.js';

type Done = (error: unknown, user?: unknown) => void;

/**
 * The Passport strategy under `BearerStrategy`, in place of passport-http-bearer: that one also takes tokens from the
 * query and the body, and reads the header less strictly than RFC 6750 allows.
 */
export class BearerHeaderStrategy extends Strategy {
  constructor(private readonly verify: (token: string, done: Done) => void) {
    super();
  }

  /** Passport is typed for Express; Nest hands over Fastify's request. */
  override authenticate(request: unknown): void {
    try {
      const token = bearerToken((request as FastifyRequest).raw);
      this.verify(token, (error, user) => (error ? this.error(error as Error) : this.success(user)));
    } catch (error) {
      this.error(error as Error);
    }
  }
}
