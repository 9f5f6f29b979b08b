import { createRemoteJWKSet, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { verifyToken } from './verify-token.ts';

const event = 'http://schemas.openid.net/event/backchannel-logout';
const maxAgeSeconds = 300;
const clockToleranceSeconds = 30;

/** The session revoked at Holdfast; without `sid` all sessions of that subject. */
export interface RevokedSession {
  issuer: string;
  subject?: string;
  sid?: string;
}

/**
 * Verifies the logout tokens that Holdfast sends when it revokes a session (OpenID Connect Back-Channel Logout 1.0).
 */
export class BackChannelLogout {
  readonly #issuer: string;
  readonly #clientId: string;
  readonly #jwksUrl: () => Promise<URL>;
  readonly #seenIds = new Map<string, number>();
  #keys: JWTVerifyGetKey | undefined;

  constructor({ issuer, clientId }: { issuer: string; clientId: string }, jwksUrl: () => Promise<URL>) {
    this.#issuer = issuer;
    this.#clientId = clientId;
    this.#jwksUrl = jwksUrl;
  }

  /**
   * @returns undefined when the token is not valid
   * @throws HoldfastUnavailable when the issuer's keys cannot be loaded; Holdfast sends the token again
   */
  async verify(token: string): Promise<RevokedSession | undefined> {
    const claims = await this.#verifySignature(token);
    if (!claims || claims.nonce !== undefined || !isObject(claims.events) || !isObject(claims.events[event]))
      return undefined;
    const { sub, sid, jti, exp } = claims;
    if (sub === undefined && typeof sid !== 'string') return undefined;
    // Each token is accepted once, so that a recorded copy cannot sign anybody out again.
    if (this.#seenIds.has(jti!)) return undefined;
    const now = Date.now() / 1000;
    for (const [id, expiresAt] of this.#seenIds) if (expiresAt < now - clockToleranceSeconds) this.#seenIds.delete(id);
    this.#seenIds.set(jti!, exp!);
    return {
      issuer: this.#issuer,
      ...(sub !== undefined && { subject: sub }),
      ...(typeof sid === 'string' && { sid }),
    };
  }

  /** Back-Channel Logout §2.6: checks signature, issuer, audience and times, and by `typ` the kind of token. */
  async #verifySignature(token: string): Promise<JWTPayload | undefined> {
    this.#keys ??= createRemoteJWKSet(await this.#jwksUrl());
    return verifyToken(token, this.#keys, {
      issuer: this.#issuer,
      audience: this.#clientId,
      typ: 'logout+jwt',
      algorithms: ['RS256', 'ES256'],
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
      maxTokenAge: maxAgeSeconds,
      clockTolerance: clockToleranceSeconds,
    });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
