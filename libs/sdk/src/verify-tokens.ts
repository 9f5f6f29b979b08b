import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import { UnavailableError, VerificationError } from './errors.js';

/** The session that was ended; without `sid` all sessions of that customer or person at this app. */
export interface EndedSession {
  issuer: string;
  subject?: string;
  sid?: string;
  /** Accept each one once: keep it until `expiresAt`. */
  jti: string;
  expiresAt: Date;
}

/** The claims of a security event token (RFC 8417). */
export interface SecurityEvent extends JWTPayload {
  jti: string;
  sub_id: { format: string; [member: string]: unknown };
  /** One event, under its URI. */
  events: Record<string, Record<string, unknown>>;
}

export interface TokenVerifierOptions {
  /** The organization's issuer, such as `https://id.example/o/acme`. */
  issuer: string;
  /** The app's client ID; of security events the receiver's. */
  clientId: string;
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
/** The keys could not be loaded, so the token can be neither accepted nor rejected. */
const keyErrors = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID']);

/** Verifies what Holdfast sends to an app. One for each issuer and app: it keeps the issuer's public keys. */
export class TokenVerifier {
  private readonly keys: ReturnType<typeof createRemoteJWKSet>;

  constructor(private readonly options: TokenVerifierOptions) {
    this.keys = createRemoteJWKSet(new URL(`${options.issuer}/jwks`));
  }

  /**
   * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6).
   *
   * @throws VerificationError: respond 400. UnavailableError when the keys cannot be loaded: respond 503, and Holdfast
   * sends it again
   */
  async logoutToken(token: string): Promise<EndedSession> {
    const claims = await this.verify(token, {
      typ: 'logout+jwt',
      requiredClaims: ['iat', 'exp', 'jti', 'events'],
      maxTokenAge: 300,
      clockTolerance: 30,
    });
    const { sub, sid, jti, exp, nonce, events } = claims;
    if (nonce !== undefined) throw new VerificationError('A logout token has no nonce.');
    if (!isObject(events) || !isObject(events[logoutEvent])) throw new VerificationError(`It has no ${logoutEvent}.`);
    if (sub === undefined && typeof sid !== 'string') throw new VerificationError('It has neither sub nor sid.');
    return {
      issuer: this.options.issuer,
      ...(sub !== undefined && { subject: sub }),
      ...(typeof sid === 'string' && { sid }),
      jti: jti!,
      expiresAt: new Date(exp! * 1000),
    };
  }

  /**
   * Verifies a security event token of Shared Signals (RFC 8417).
   *
   * @throws VerificationError, UnavailableError when the keys cannot be loaded
   */
  async securityEvent(token: string): Promise<SecurityEvent> {
    const claims = await this.verify(token, {
      typ: 'secevent+jwt',
      requiredClaims: ['jti', 'iat', 'sub_id', 'events'],
    });
    if (!isObject(claims.sub_id) || !isObject(claims.events))
      throw new VerificationError('sub_id and events are no objects.');
    return claims as SecurityEvent;
  }

  private async verify(token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    const { issuer, clientId } = this.options;
    try {
      const { payload } = await jwtVerify(token, this.keys, {
        ...options,
        issuer,
        audience: clientId,
        algorithms: ['RS256', 'ES256'],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError && !keyErrors.has(error.code))
        throw new VerificationError(error.message, { cause: error });
      throw new UnavailableError(`The keys of ${issuer} could not be loaded: ${String(error)}`, { cause: error });
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
