import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { compactVerify, decodeJwt, SignJWT } from 'jose';
import { Provider, type AdapterPayload } from 'oidc-provider';
import type { SigningKey } from '../keys/key-pair.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';

/** Of the id of a stored token whose form is a JWT. No opaque token contains a full stop. */
const storedPrefix = 'jwt.';
/**
 * Before a JWT in a form for revocation or introspection. The library refuses every parameter that begins with the
 * header of a JWT; these are accepted, or unknown like any other token.
 */
export const presentedPrefix = 'JWT.';
const type = 'at+jwt';

interface Stored {
  jti: string;
  generateTokenId: () => string;
  getValueAndPayload: () => Promise<{ value: string; payload: AdapterPayload }>;
}

/**
 * Gives apps with `accessTokenFormat: jwt` access tokens that their APIs can verify (RFC 9068). They are stored like
 * opaque ones, so that userinfo, introspection and revocation work with them. The `jti` is not the id under which a
 * token is stored: who reads a `jti` in a log does not have a token.
 */
export function signAccessTokens({ AccessToken, issuer }: Provider, keys: readonly SigningKey[]): void {
  const prototype = AccessToken.prototype as unknown as Stored;
  const { generateTokenId, getValueAndPayload } = prototype;
  prototype.generateTokenId = function () {
    const id = generateTokenId.call(this);
    const { app } = issuerRequestOf(Provider.ctx).client!;
    return app.accessTokenFormat === 'jwt' ? storedPrefix + id : id;
  };
  prototype.getValueAndPayload = async function () {
    const opaque = await getValueAndPayload.call(this);
    if (!this.jti.startsWith(storedPrefix)) return opaque;
    const { idTokenAlg = 'RS256' } = issuerRequestOf(Provider.ctx).client!.app;
    // The key that signs ID tokens: the first of its algorithm.
    const key = keys.find(({ alg }) => alg === idTokenAlg)!;
    return { ...opaque, value: await signed(opaque.payload, this.jti.slice(storedPrefix.length), issuer, key) };
  };
  const model = AccessToken as unknown as { find: (value: unknown, options?: object) => Promise<object | undefined> };
  const find = model.find.bind(AccessToken);
  model.find = async (value, options) => find(await storedIdOf(value, keys, issuer), options);
}

function signed(payload: AdapterPayload, jti: string, issuer: string, key: SigningKey): Promise<string> {
  const { accountId, clientId, scope, iat, exp, acr, amr, jkt } = payload as AdapterPayload & Record<string, unknown>;
  const claims = { client_id: clientId, scope, acr, amr, ...(jkt !== undefined && { cnf: { jkt } }) };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: type })
    .setIssuer(issuer)
    .setSubject(accountId!)
    .setAudience(clientId!)
    .setIssuedAt(iat)
    .setExpirationTime(exp as number)
    .setJti(jti)
    .sign(createPrivateKey({ key: key as JsonWebKey, format: 'jwk' }));
}

/** The id under which a presented token is stored: undefined for a JWT that this issuer has not signed. */
async function storedIdOf(value: unknown, keys: readonly SigningKey[], issuer: string): Promise<string | undefined> {
  if (typeof value !== 'string' || value.startsWith(storedPrefix)) return undefined;
  const token = value.startsWith(presentedPrefix) ? value.slice(presentedPrefix.length) : value;
  if (!token.includes('.')) return token;
  try {
    const { protectedHeader } = await compactVerify(token, ({ kid, alg }) => {
      const key = keys.find((own) => own.kid === kid && own.alg === alg);
      if (!key) throw new Error('a key of another issuer');
      return createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    });
    const { iss, jti } = decodeJwt(token);
    // ID tokens and logout tokens have the same issuer and keys, and other types (RFC 8725 §3.11).
    return protectedHeader.typ === type && iss === issuer && jti !== undefined ? storedPrefix + jti : undefined;
  } catch {
    return undefined;
  }
}

/** Describes a JWT as the API that got it knows it. */
export function describeIntrospectedToken(body: { jti?: string; client_id?: string; aud?: string }): void {
  if (!body.jti?.startsWith(storedPrefix)) return;
  body.jti = body.jti.slice(storedPrefix.length);
  if (body.client_id !== undefined) body.aud = body.client_id;
}
