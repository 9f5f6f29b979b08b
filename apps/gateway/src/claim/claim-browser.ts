import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '@holdfast/platform';

/** Longer than any ceremony; each beginning prolongs it. */
const maxAgeSeconds = 900;
const secretForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * Binds the ceremony of a claim to the browser that began it, by a cookie with a random secret of which services see
 * the hash alone. A captured answer of an authenticator is worth nothing in another browser, also to somebody with the
 * link.
 */
export class ClaimBrowser {
  private readonly secure: boolean;

  constructor(baseUrl: string) {
    this.secure = baseUrl.startsWith('https:');
  }

  /** The hash for a ceremony that begins; the cookie goes with the answer and is the same for all tabs. */
  begin(request: FastifyRequest, reply: FastifyReply, shortId: string): string {
    const secret = this.secretIn(request, shortId) ?? randomBytes(32).toString('base64url');
    const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${this.secure ? '; Secure' : ''}`;
    void reply.header('set-cookie', `${this.nameOf(shortId)}=${secret}; ${attributes}`);
    return hashOf(secret);
  }

  /** The hash for a ceremony that ends, or undefined for a browser that began none. */
  end(request: FastifyRequest, shortId: string): string | undefined {
    const secret = this.secretIn(request, shortId);
    return secret === undefined ? undefined : hashOf(secret);
  }

  /** Undefined also when there are two: one of them was planted. */
  private secretIn({ headers: { cookie = '' } }: FastifyRequest, shortId: string): string | undefined {
    const start = `${this.nameOf(shortId)}=`;
    const [secret, ...others] = cookie
      .split(';')
      .flatMap((pair) => (pair.trim().startsWith(start) ? [pair.trim().slice(start.length)] : []));
    return secret !== undefined && others.length === 0 && secretForm.test(secret) ? secret : undefined;
  }

  /** RFC 6265bis §4.1.3.2: over https no sibling sub-domain can set it. */
  private nameOf(shortId: string): string {
    return `${this.secure ? '__Host-' : ''}holdfast-${shortId}-claim`;
  }
}

function hashOf(secret: string): string {
  return sha256(secret).toString('base64url');
}
