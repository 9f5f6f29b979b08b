import { equal, sha256 } from '@holdfast/platform';

/** The members of a stored authorization code that decide whether it becomes a hub session. */
export interface StoredCode {
  accountId?: string | undefined;
  clientId?: string | undefined;
  redirectUri?: string | undefined;
  nonce?: string | undefined;
  codeChallenge?: string | undefined;
  codeChallengeMethod?: string | undefined;
  consumed?: unknown;
}

export interface Redemption {
  clientId: string;
  redirectUri: string;
  nonce: string;
  codeVerifier: string;
}

/**
 * Whether the code belongs to this sign-in: issued to the hub, for its redirect URI, with the nonce and the PKCE
 * challenge of the browser that began the sign-in (RFC 6749 §4.1.3, RFC 7636 §4.6). A code of another sign-in, such as
 * that of an attacker, has other ones.
 */
export function belongsTo(code: StoredCode, { clientId, redirectUri, nonce, codeVerifier }: Redemption): boolean {
  return (
    code.clientId === clientId &&
    code.redirectUri === redirectUri &&
    code.codeChallengeMethod === 'S256' &&
    isSame(code.codeChallenge, sha256(codeVerifier).toString('base64url')) &&
    isSame(code.nonce, nonce)
  );
}

function isSame(stored: string | undefined, expected: string): boolean {
  return stored !== undefined && equal(sha256(stored), sha256(expected));
}
