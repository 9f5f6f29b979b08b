import { hkdfSync } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { equal, keyedHash } from '@holdfast/platform';

export interface CookieSettings {
  baseUrl: string;
  /** The first key signs; the others, of before a rotation, only verify. */
  keys: readonly Buffer[];
}

/**
 * Over https with the prefix of RFC 6265bis §4.1.3.2: a browser takes such a cookie from this host alone, so that no
 * sibling sub-domain can plant one. It needs `Secure` and `Path=/`; some browsers refuse `Secure` on http://localhost,
 * where there are no sibling sub-domains. Names carry the organization: a browser has a session with each.
 */
export function cookieNames(shortId: string, baseUrl: string) {
  const name = (kind: string) => `${baseUrl.startsWith('https:') ? '__Host-' : ''}holdfast-${shortId}-${kind}`;
  // `interaction` and `resume` are the library's, which would hold the id in the address: sign-in-binding.ts answers
  // for them.
  const own = {
    session: name('session'),
    browser: name('sign-in'),
    interaction: name('interaction'),
    resume: name('resume'),
  };
  // Each belongs to the path of one sign-in, which the prefix does not allow. They are sealed, and worth nothing
  // without `browser`.
  return { ...own, request: `holdfast-${shortId}-request`, answer: `holdfast-${shortId}-answer` };
}

/** Lax: an app leads the browser here from another site. */
export function cookieOptions(baseUrl: string) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: baseUrl.startsWith('https:') } as const;
}

/** HMAC-SHA256 in the place of the cookie library's HMAC-SHA1. */
class CookieSigner {
  constructor(private readonly keys: readonly Buffer[]) {}

  sign(data: string): string {
    return keyedHash(this.keys[0]!, data).toString('base64url');
  }

  verify(data: string, signature: string): boolean {
    return this.index(data, signature) === 0;
  }

  /**
   * 0 for a signature under any of the keys. For a higher number the cookie library would renew the signature by a
   * cookie without `SameSite`; ours are signed anew with each answer that sets them.
   */
  index(data: string, signature: string): number {
    const given = Buffer.from(signature, 'base64url');
    return this.keys.some((key) => equal(keyedHash(key, data), given)) ? 0 : -1;
  }
}

/** Lets the issuer sign its cookies, under keys that are its own alone (RFC 5869). */
export function signCookies(provider: Provider, shortId: string, keys: readonly Buffer[]): void {
  const own = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `cookies/${shortId}`, 32)));
  Object.assign(provider, { keys: new CookieSigner(own) });
}
