import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import {
  accessTokenClaimsSchema,
  apiAudience,
  personTokenClaimsSchema,
  type AccessTokenClaims,
  type PersonTokenClaims,
} from '@holdfast/contracts';
import { AppError, CLOCK, unavailable, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { PlatformKeys } from './platform-keys.js';

/**
 * Verifies access tokens (RFC 9068) locally, against cached keys. The key determines the algorithm: a token can neither
 * choose an algorithm nor bring its own key.
 */
@Injectable()
export class AccessTokens {
  /** Claims of verified tokens, by the hash of the token. Expiration and revocation are still checked each time. */
  private readonly verified = new LRUCache<string, AccessTokenClaims>({ max: 20_000, ttl: 60_000 });

  constructor(
    private readonly keys: PlatformKeys,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws invalid_token; unavailable when a wrong clock leaves open whether the token has expired */
  async verify(token: string): Promise<AccessTokenClaims> {
    if (this.clock.trust() === 'wrong')
      throw unavailable('The clock of this server is wrong.', 1, { dependency: 'clock', cause: 'unavailable' });
    const key = hash('sha256', token, 'base64');
    const cached = this.verified.get(key);
    const claims = cached ?? (await this.check(token, accessTokenClaimsSchema));
    if (claims.exp * 1000 <= this.clock.now().getTime())
      throw new AppError('invalid_token', 'The access token has expired.');
    if (!cached) this.verified.set(key, claims);
    return claims;
  }

  /**
   * A person token, which auth has just issued to this gateway. verify() refuses it, because it lacks the claims of an
   * app: such a token means nothing in an Authorization header. @throws invalid_token
   */
  verifyPersonToken(token: string): Promise<PersonTokenClaims> {
    return this.check(token, personTokenClaimsSchema);
  }

  private async check<Claims>(token: string, schema: z.ZodType<Claims>): Promise<Claims> {
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
      return schema.parse(payload);
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
 * Several base64url strings decode to the same bytes, and jose accepts them all. A token that was altered anywhere must
 * fail.
 */
function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}
