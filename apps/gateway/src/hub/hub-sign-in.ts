import { randomBytes } from 'node:crypto';
import { hubClientId, hubRedirectUri, issuerPaths, issuerRoute } from '@holdfast/contracts';
import { equal, keyedHash, sha256 } from '@holdfast/platform';

/**
 * A sign-in in progress, as the browser's cookie has it: a random secret and the address to return to. State, nonce and
 * PKCE verifier are derived from the secret, so that no replica stores anything and each value proves the browser.
 */
export interface HubSignIn {
  secret: string;
  returnTo: string;
}

/** Longer than anybody may take on the sign-in page. */
export const signInCookieSeconds = 3600;
export const signInCookieForm = /^[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{0,700}$/;

export function newSignIn(returnTo: string): HubSignIn {
  return { secret: randomBytes(32).toString('base64url'), returnTo };
}

export function toCookie({ secret, returnTo }: HubSignIn): string {
  return `${secret}.${Buffer.from(returnTo).toString('base64url')}`;
}

export function fromCookie(value: string): HubSignIn {
  const [secret, returnTo] = value.split('.') as [string, string];
  return { secret, returnTo: Buffer.from(returnTo, 'base64url').toString() };
}

function derive({ secret }: HubSignIn, purpose: 'state' | 'nonce' | 'verifier'): string {
  return keyedHash(Buffer.from(secret, 'base64url'), purpose).toString('base64url');
}

/** Whether the response of the issuer belongs to this sign-in and not to somebody else's (RFC 6749 §10.12). */
export function isAnswerTo(signIn: HubSignIn, state: string): boolean {
  return equal(sha256(derive(signIn, 'state')), sha256(state));
}

/** Proves to auth that this browser began the sign-in (RFC 7636, OpenID Connect Core §15.5.2). */
export function proofOf(signIn: HubSignIn): { codeVerifier: string; nonce: string } {
  return { codeVerifier: derive(signIn, 'verifier'), nonce: derive(signIn, 'nonce') };
}

export function issuerUrl(baseUrl: string, shortId: string): string {
  return `${baseUrl}/o/${shortId}`;
}

/** Where the browser signs in. With `maxAgeSeconds` an older sign-in does not do (OpenID Connect Core §3.1.2.1). */
export function authorizationUrl(
  baseUrl: string,
  shortId: string,
  signIn: HubSignIn,
  maxAgeSeconds: number | undefined,
): string {
  const { codeVerifier, nonce } = proofOf(signIn);
  const url = new URL(baseUrl + issuerRoute(issuerPaths.authorization).replace('{shortId}', shortId));
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: hubClientId(shortId),
    redirect_uri: hubRedirectUri(baseUrl, shortId),
    scope: 'openid',
    state: derive(signIn, 'state'),
    nonce,
    code_challenge: sha256(codeVerifier).toString('base64url'),
    code_challenge_method: 'S256',
    ...(maxAgeSeconds !== undefined && { max_age: String(maxAgeSeconds) }),
  }).toString();
  return url.href;
}
