import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { HoldfastAway } from './trouble.ts';

const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Seconds: how old a logout token may be, and how far two clocks may differ. */
const longest = 300;
const tolerance = 30;

/** Whose session at Holdfast ended: that one, or without `sid` all of the customer's. */
export interface Ended {
  issuer: string;
  subject?: string;
  sid?: string;
}

/**
 * Takes the logout tokens that Holdfast sends when a customer's session ends there (OpenID Connect Back-Channel Logout
 * 1.0).
 */
export class BackChannelLogout {
  readonly #issuer: string;
  readonly #clientId: string;
  readonly #keysUrl: () => Promise<URL>;
  readonly #taken = new Map<string, number>();
  #keys: JWTVerifyGetKey | undefined;

  constructor({ issuer, clientId }: { issuer: string; clientId: string }, keysUrl: () => Promise<URL>) {
    this.#issuer = issuer;
    this.#clientId = clientId;
    this.#keysUrl = keysUrl;
  }

  /**
   * Undefined when the token is not to be believed. @throws HoldfastAway when its keys cannot be had: it comes again
   */
  async take(token: string): Promise<Ended | undefined> {
    const claims = await this.#verify(token);
    if (!claims || claims.nonce !== undefined || !isObject(claims.events) || !isObject(claims.events[event]))
      return undefined;
    const { sub, sid, jti, exp } = claims;
    if (sub === undefined && typeof sid !== 'string') return undefined;
    // Each counts once: a copy that somebody kept must not sign the customer out again.
    if (this.#taken.has(jti!)) return undefined;
    for (const [known, until] of this.#taken) if (until < Date.now() / 1000 - tolerance) this.#taken.delete(known);
    this.#taken.set(jti!, exp!);
    return {
      issuer: this.#issuer,
      ...(sub !== undefined && { subject: sub }),
      ...(typeof sid === 'string' && { sid }),
    };
  }

  /** §2.6: signature, issuer, audience, times; `typ` keeps any other kind of token out. */
  async #verify(token: string): Promise<JWTPayload | undefined> {
    this.#keys ??= createRemoteJWKSet(await this.#keysUrl());
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer: this.#issuer,
        audience: this.#clientId,
        typ: 'logout+jwt',
        algorithms: ['RS256', 'ES256'],
        requiredClaims: ['iat', 'exp', 'jti', 'events'],
        maxTokenAge: longest,
        clockTolerance: tolerance,
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return undefined;
      throw new HoldfastAway(`keys: ${String(error)}`);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
