import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';

type Done = (error: unknown, user?: unknown) => void;

/**
 * The Passport strategy under `AccessTokenStrategy`. It replaces passport-http-bearer, which also accepts tokens in the
 * query and the body, parses the header less strictly than RFC 6750 and does not know DPoP.
 */
export class AuthorizationHeaderStrategy extends Strategy {
  constructor(private readonly verify: (request: FastifyRequest, done: Done) => void) {
    super();
  }

  /** Passport's types assume Express; Nest passes Fastify's request. */
  override authenticate(request: unknown): void {
    this.verify(request as FastifyRequest, (error, user) => (error ? this.error(error as Error) : this.success(user)));
  }
}
