import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-strategy';
import { RevocationFeed } from '@holdfast/access';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { AccessTokens } from './access-token.js';
import { bearerToken } from './bearer-header.js';

/**
 * Who calls: a good token, of an app that is still what it was when the token was made (product §4, "disabled means
 * disabled").
 */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy, 'bearer') {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly feed: RevocationFeed,
  ) {
    super();
  }

  /** The base class is typed for Express; what comes is Fastify's request. */
  override authenticate(request: unknown): void {
    this.identify(request as FastifyRequest).then(
      (claims) => this.success(claims),
      (error: Error) => this.error(error),
    );
  }

  /** PassportStrategy asks for it; the claims are verified already. */
  validate(claims: AccessTokenClaims): AccessTokenClaims {
    return claims;
  }

  /** @throws missing_token, invalid_token, unavailable */
  async identify({ raw }: Pick<FastifyRequest, 'raw'>): Promise<AccessTokenClaims> {
    const claims = await this.tokens.verify(bearerToken(raw));
    if ((await this.feed.check(claims)) === 'refused') {
      throw new AppError(
        'invalid_token',
        'The app was disabled, or its secret or grant taken away, after this token was made.',
      );
    }
    return claims;
  }
}
