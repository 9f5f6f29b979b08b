import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '@holdfast/platform';

const secretForm = /^[A-Za-z0-9_-]{43}$/;

/**
 * The cookie with the id of a hub session. `Strict`: no request that another site causes has it. Over https its prefix
 * keeps other hosts from setting it (RFC 6265bis §4.1.3.2); browsers reject the prefix on http://localhost.
 */
export class HubCookie {
  private readonly secure: boolean;
  private readonly name: (shortId: string) => string;

  /** `kind` ends the name, so that no two organizations can have a cookie of the same name. */
  constructor(
    baseUrl: string,
    kind: 'hub' | 'hub-sign-in' = 'hub',
    private readonly sameSite: 'Strict' | 'Lax' = 'Strict',
    private readonly valueForm = secretForm,
  ) {
    this.secure = baseUrl.startsWith('https:');
    this.name = (shortId) => `${this.secure ? '__Host-' : ''}holdfast-${shortId}-${kind}`;
  }

  /** Undefined also when there are two such cookies: an attacker may have set one of them. */
  read({ headers: { cookie = '' } }: Pick<FastifyRequest, 'headers'>, shortId: string): string | undefined {
    const start = `${this.name(shortId)}=`;
    const [value, ...others] = cookie
      .split(';')
      .flatMap((pair) => (pair.trim().startsWith(start) ? [pair.trim().slice(start.length)] : []));
    return value !== undefined && others.length === 0 && this.valueForm.test(value) ? value : undefined;
  }

  set(reply: FastifyReply, shortId: string, value: string, maxAgeSeconds: number): void {
    const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${this.sameSite}`;
    void reply.header('set-cookie', `${this.name(shortId)}=${value}; ${attributes}${this.secure ? '; Secure' : ''}`);
  }

  clear(reply: FastifyReply, shortId: string): void {
    this.set(reply, shortId, '', 0);
  }
}

/** What services see of a session: they never get its id. */
export function sessionHashOf(id: string): string {
  return sha256(id).toString('base64url');
}
