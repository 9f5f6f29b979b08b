import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { RevocationFeed } from '@holdfast/access';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { AccessTokens } from './access-token.js';
import { BearerHeaderStrategy } from './bearer-header.strategy.js';

/**
 * Passport's `bearer` strategy: accepts a valid token whose app has lost no rights since it was issued (product §4).
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(BearerHeaderStrategy, 'bearer') {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly feed: RevocationFeed,
  ) {
    super();
  }

  /** @throws invalid_token, unavailable */
  async validate(token: string): Promise<AccessTokenClaims> {
    const claims = await this.tokens.verify(token);
    if ((await this.feed.check(claims)) === 'revoked') {
      throw new AppError(
        'invalid_token',
        'The app was disabled, or its secret or grant revoked, after this token was issued.',
      );
    }
    return claims;
  }
}
