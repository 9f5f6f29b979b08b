import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { accessTokenClaimsSchema, apiAudience, type AccessTokenClaims } from '@holdfast/contracts';
import { AppError, CLOCK, unavailable, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { PlatformKeys } from './platform-keys.js';

/**
 * Verifies access tokens (RFC 9068) by keys at hand, without a call. The algorithm is the key's: a token cannot choose
 * it, nor bring a key of its own.
 */
@Injectable()
export class AccessTokens {
  /**
   * Claims of tokens that were good a moment ago, by the token's hash; time and revocation are looked at every time.
   */
  private readonly verified = new LRUCache<string, AccessTokenClaims>({ max: 20_000, ttl: 60_000 });

  constructor(
    private readonly keys: PlatformKeys,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The claims of a good token; `invalid_token` for any other, `unavailable` when we cannot tell whether it has
   * expired.
   */
  async verify(token: string): Promise<AccessTokenClaims> {
    if (this.clock.trust() === 'wrong')
      throw unavailable('The clock of this server is wrong.', 1, { dependency: 'clock', cause: 'unavailable' });
    const key = hash('sha256', token, 'base64');
    const known = this.verified.get(key);
    const claims = known ?? (await this.check(token));
    if (claims.exp * 1000 <= this.clock.now().getTime())
      throw new AppError('invalid_token', 'The access token has expired.');
    if (!known) this.verified.set(key, claims);
    return claims;
  }

  private async check(token: string): Promise<AccessTokenClaims> {
    if (!token.split('.').every(isCanonical)) throw new AppError('invalid_token');
    try {
      const { payload } = await jwtVerify(token, (header) => this.keys.find(header.kid), {
        issuer: this.config.BASE_URL,
        audience: apiAudience(this.config.BASE_URL),
        algorithms: ['EdDSA', 'Ed25519'],
        typ: 'at+jwt',
        currentDate: this.clock.now(),
        requiredClaims: ['exp', 'iat', 'jti', 'sub'],
      });
      return accessTokenClaimsSchema.parse(payload);
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error;
      throw new AppError(
        'invalid_token',
        error instanceof errors.JWTExpired ? 'The access token has expired.' : undefined,
      );
    }
  }
}

/**
 * base64url has several spellings of the same bytes, and jose reads them all; a token that was bent anywhere must not
 * pass.
 */
function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}
