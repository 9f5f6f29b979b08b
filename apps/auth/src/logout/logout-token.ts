import { importJWK, SignJWT } from 'jose';
import { newOpaqueId } from '@holdfast/platform';
import type { SigningKey } from '../keys/key-pair.js';
import type { RevokedSession } from './logout-notifications.js';

const event = 'http://schemas.openid.net/event/backchannel-logout';
/** Short, since the token is sent as soon as it is created (§2.4). */
const ttlSeconds = 120;

/**
 * A new token for each attempt, with a `jti` of its own (Back-Channel Logout §2.4): an app that accepted one and could
 * not confirm it must not reject the next as a replay. Without `nonce`, so that it can never pass for an ID token.
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
    .setExpirationTime(issuedAt + ttlSeconds)
    .setJti(newOpaqueId())
    .sign(await importJWK(jwk, jwk.alg));
}
