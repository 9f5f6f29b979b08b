import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RevocationFeed } from '@holdfast/access';
import type { Operation, ReceiverScope } from '@holdfast/contracts';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { isPerson } from '../edge/caller.js';
import { requireOperation } from './access.guard.js';
import { PersonSessions } from './person-sessions.js';

/** Whether a caller whose request was admitted may still get more of its response, which can last for hours. */
@Injectable()
export class ContinuedAccess {
  constructor(
    private readonly feed: RevocationFeed,
    private readonly sessions: PersonSessions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws invalid_token, insufficient_scope, or unavailable when the answer is unknown */
  async require(request: FastifyRequest, operation: Operation | ReceiverScope): Promise<void> {
    const claims = request.requestContext.claims!;
    if (isPerson(claims)) {
      const { shortId } = request.params as { shortId: string };
      const session = this.sessions.idIn(request, shortId)!;
      return requireOperation(await this.sessions.authenticate(request, shortId, session), { operation });
    }
    if (claims.exp * 1000 <= this.clock.now().getTime())
      throw new AppError('invalid_token', 'The access token has expired. Request a new one, and continue with it.');
    if ((await this.feed.check(claims)) === 'revoked')
      throw new AppError('invalid_token', 'The app was disabled, or its secret, key or grant revoked.');
  }
}
