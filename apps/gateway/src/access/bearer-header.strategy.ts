import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';
import { bearerToken } from './bearer-header.js';

type Done = (error: unknown, user?: unknown) => void;

/**
 * The Passport strategy under `BearerStrategy`. It replaces passport-http-bearer, which also accepts tokens in the
 * query and the body, and parses the header less strictly than RFC 6750.
 */
export class BearerHeaderStrategy extends Strategy {
  constructor(private readonly verify: (token: string, done: Done) => void) {
    super();
  }

  /** Passport's types assume Express; Nest passes Fastify's request. */
  override authenticate(request: unknown): void {
    try {
      const token = bearerToken((request as FastifyRequest).raw);
      this.verify(token, (error, user) => (error ? this.error(error as Error) : this.success(user)));
    } catch (error) {
      this.error(error as Error);
    }
  }
}
