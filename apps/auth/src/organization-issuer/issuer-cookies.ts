import { hkdfSync } from 'node:crypto';
import type { Provider } from 'oidc-provider';
import { equal, keyedHash } from '@holdfast/platform';

export interface CookieSettings {
  baseUrl: string;
  /** The first key signs. The others are from before a rotation and only verify. */
  keys: readonly Buffer[];
}

/**
 * Names contain the organization, since a browser has a session with each. Over https they have the prefix of RFC
 * 6265bis §4.1.3.2: a browser accepts such a cookie from this host only, so that no sibling sub-domain can set one. The
 * prefix requires `Secure`, which some browsers reject on http://localhost, where there are no sibling sub-domains.
 */
export function cookieNames(shortId: string, baseUrl: string) {
  const name = (kind: string) => `${baseUrl.startsWith('https:') ? '__Host-' : ''}holdfast-${shortId}-${kind}`;
  // The library's `interaction` and `resume` would contain the id in the address. sign-in-binding.ts replaces them.
  const own = {
    session: name('session'),
    /** Customers and people have a session each in one browser (session-audience.ts). */
    peopleSession: name('people-session'),
    browser: name('sign-in'),
    interaction: name('interaction'),
    resume: name('resume'),
  };
  // Each has the path of one sign-in, which the prefix does not allow. They are sealed, and useless without `browser`.
  return { ...own, request: `holdfast-${shortId}-request`, result: `holdfast-${shortId}-result` };
}

/** Lax, since an app redirects the browser here from another site. */
export function cookieOptions(baseUrl: string) {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: baseUrl.startsWith('https:') } as const;
}

/** HMAC-SHA256 instead of the cookie library's HMAC-SHA1. */
class CookieSigner {
  constructor(private readonly keys: readonly Buffer[]) {}

  sign(data: string): string {
    return keyedHash(this.keys[0]!, data).toString('base64url');
  }

  verify(data: string, signature: string): boolean {
    return this.index(data, signature) === 0;
  }

  /**
   * 0 for a signature under any of the keys. For a higher index the cookie library would renew the signature with a
   * cookie without `SameSite`. Ours are signed again by each response that sets them.
   */
  index(data: string, signature: string): number {
    const given = Buffer.from(signature, 'base64url');
    return this.keys.some((key) => equal(keyedHash(key, data), given)) ? 0 : -1;
  }
}

/** Makes the issuer sign its cookies with keys that no other issuer has (RFC 5869). */
export function signCookies(provider: Provider, shortId: string, keys: readonly Buffer[]): void {
  const own = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `cookies/${shortId}`, 32)));
  Object.assign(provider, { keys: new CookieSigner(own) });
}
