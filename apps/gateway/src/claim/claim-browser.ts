import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '@holdfast/platform';

/** Longer than any ceremony; each new ceremony starts it again. */
const maxAgeSeconds = 900;
const secretForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * Binds the ceremony of a claim, an invitation or an account page to the browser that began it, by a cookie with a
 * random secret. Services see only the hash of the secret. Somebody who has the link and a captured authenticator
 * response cannot use them in another browser.
 */
export class ClaimBrowser {
  private readonly secure: boolean;

  constructor(
    baseUrl: string,
    private readonly page: 'claim' | 'invitation' | 'account' | 'passkey',
  ) {
    this.secure = baseUrl.startsWith('https:');
  }

  /** Sets the cookie, which all tabs share. @returns the hash of its secret, for the ceremony that begins */
  begin(request: FastifyRequest, reply: FastifyReply, shortId: string): string {
    const secret = this.secretIn(request, shortId) ?? randomBytes(32).toString('base64url');
    const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${this.secure ? '; Secure' : ''}`;
    void reply.header('set-cookie', `${this.nameOf(shortId)}=${secret}; ${attributes}`);
    return hashOf(secret);
  }

  /** @returns the hash for the ceremony that ends; undefined for a browser that began none */
  end(request: FastifyRequest, shortId: string): string | undefined {
    const secret = this.secretIn(request, shortId);
    return secret === undefined ? undefined : hashOf(secret);
  }

  /** Undefined also when there are two such cookies: an attacker may have set one of them. */
  private secretIn({ headers: { cookie = '' } }: FastifyRequest, shortId: string): string | undefined {
    const start = `${this.nameOf(shortId)}=`;
    const [secret, ...others] = cookie
      .split(';')
      .flatMap((pair) => (pair.trim().startsWith(start) ? [pair.trim().slice(start.length)] : []));
    return secret !== undefined && others.length === 0 && secretForm.test(secret) ? secret : undefined;
  }

  /** RFC 6265bis §4.1.3.2: with the prefix `__Host-`, no sibling subdomain can set the cookie. */
  private nameOf(shortId: string): string {
    return `${this.secure ? '__Host-' : ''}holdfast-${shortId}-${this.page}`;
  }
}

function hashOf(secret: string): string {
  return sha256(secret).toString('base64url');
}
