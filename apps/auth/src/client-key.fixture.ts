import { KeyObject, randomUUID, sign } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

export interface ClientKey {
  alg: string;
  /** Of the private key. */
  key: CryptoKey;
  kid: string;
  publicJwk: JWK & { kty: 'EC' };
  /** The id of the key in tokens. */
  id: string;
}

export async function newClientKey(alg = 'ES256', kid: string = randomUUID()): Promise<ClientKey> {
  const { publicKey, privateKey: key } = await generateKeyPair(alg, { extractable: true });
  const own = await exportJWK(publicKey);
  const publicJwk = { ...own, kid } as ClientKey['publicJwk'];
  return { alg, key, kid, publicJwk, id: `key_${await calculateJwkThumbprint(own)}` };
}

/** A client assertion (RFC 7523) for an issuer, valid but for the given changes. */
export function clientAssertion(
  { alg, key, kid }: ClientKey,
  clientId: string,
  issuer: string,
  claims: object = {},
  header: object = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const valid = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat: now, exp: now + 60 };
  return new SignJWT({ ...valid, ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(key);
}

/**
 * A JWS whose payload is not encoded (RFC 7797), or any other that libraries refuse to make: header and payload as they
 * are, signed.
 */
export function signAsIs({ key }: ClientKey, header: object, payload: string): string {
  const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`;
  const signature = sign('sha256', Buffer.from(input), { key: KeyObject.from(key), dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

/** Form parameters with a client assertion. */
export const withAssertion = (assertion: string) => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: assertion,
});

/** A DPoP proof (RFC 9449), valid but for the given changes. */
export function dpopProof(
  { alg, key, publicJwk: { kid: _, ...jwk } }: ClientKey,
  htm: string,
  htu: string,
  claims: object = {},
  header: object = {},
): Promise<string> {
  const valid = { htm, htu, jti: randomUUID(), iat: Math.floor(Date.now() / 1000) };
  return new SignJWT({ ...valid, ...claims }).setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header }).sign(key);
}
