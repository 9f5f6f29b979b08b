import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { RevocationFeed } from '@holdfast/access';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { AccessTokens } from './access-token.js';
import { presentedToken } from './authorization-header.js';
import { AuthorizationHeaderStrategy } from './authorization-header.strategy.js';
import { DpopProofs } from './dpop-proofs.js';

/**
 * Passport's strategy `access-token`: accepts a valid token whose app has lost no rights since it was issued (product
 * §4), and one that is bound to a key with a proof of that key only.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(AuthorizationHeaderStrategy, 'access-token') {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly feed: RevocationFeed,
    private readonly proofs: DpopProofs,
  ) {
    super();
  }

  /** Whether a proof was used before is checked later, by the guard. @throws invalid_token, unavailable */
  async validate(request: FastifyRequest): Promise<AccessTokenClaims> {
    const presented = presentedToken(request.raw);
    const claims = await this.tokens.verify(presented.token);
    await this.proofs.verify(request, presented, claims);
    if ((await this.feed.check(claims)) === 'revoked') {
      throw new AppError(
        'invalid_token',
        'The app was disabled, or its secret, key or grant revoked, after this token was issued.',
      );
    }
    return claims;
  }
}
