import { randomUUID } from 'node:crypto';
import { importJWK, SignJWT } from 'jose';
import type { SigningKey } from '../keys/key-pair.js';
import type { RevokedSession } from './logout-notifications.js';

const event = 'http://schemas.openid.net/event/backchannel-logout';
/** §2.4: short, since it is sent as soon as it is made. In seconds. */
const life = 120;

/**
 * Back-Channel Logout §2.4: made anew for each attempt, with a `jti` of its own, so that an app which took one and
 * could not say so does not refuse the next as a replay. Without `nonce`, so that it can never pass for an ID token.
 */
export async function logoutToken(
  issuer: string,
  clientId: string,
  { sub, sid }: RevokedSession,
  jwk: SigningKey,
): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000);
  return new SignJWT({ events: { [event]: {} }, ...(sid !== undefined && { sid }) })
    .setProtectedHeader({ alg: jwk.alg, kid: jwk.kid, typ: 'logout+jwt' })
    .setIssuer(issuer)
    .setSubject(sub)
    .setAudience(clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + life)
    .setJti(randomUUID())
    .sign(await importJWK(jwk, jwk.alg));
}
