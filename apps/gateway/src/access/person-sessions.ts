import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { RevocationFeed } from '@holdfast/access';
import { exchangeHubSession, type PersonTokenClaims } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { anonymousContextOf } from '../edge/request-context.js';
import { AccessTokens } from './access-token.js';
import { HubCookie, sessionHashOf } from './hub-cookie.js';
import { isFromOwnPage } from './own-page.js';

/** Below a second, so that a session that has ended is refused within one, by every gateway. */
const tokenTtlMs = 800;
const maxTokens = 20_000;

type Exchanged = Promise<PersonTokenClaims | undefined>;

/**
 * Exchanges the session of a person at the hub for a person token, which never leaves this process (product §6).
 * Concurrent requests of a session share one exchange.
 */
@Injectable()
export class PersonSessions {
  private readonly cookie: HubCookie;
  private readonly ownOrigin: string;
  private readonly tokens = new LRUCache<string, Exchanged>({ max: maxTokens, ttl: tokenTtlMs });

  constructor(
    private readonly bus: Bus,
    private readonly accessTokens: AccessTokens,
    private readonly feed: RevocationFeed,
    @Inject(CONFIG) { BASE_URL }: Pick<GatewayConfig, 'BASE_URL'>,
  ) {
    this.cookie = new HubCookie(BASE_URL);
    this.ownOrigin = new URL(BASE_URL).origin;
  }

  /** The id of the session at this organization's hub; the cookie does not count beside an Authorization header. */
  idIn(request: FastifyRequest, shortId: string | undefined): string | undefined {
    if (shortId === undefined || request.headers.authorization !== undefined) return undefined;
    return this.cookie.read(request, shortId);
  }

  /** The claims of the person. @throws invalid_token when the session has ended; unavailable */
  async authenticate(request: FastifyRequest, shortId: string, id: string): Promise<PersonTokenClaims> {
    const key = `${shortId} ${sessionHashOf(id)}`;
    const exchanged = this.exchanged(request, shortId, key);
    const claims = await exchanged;
    if (claims && (await this.feed.checkPerson(claims)) === 'valid') return claims;
    if (claims) {
      // Roles may have changed since the exchange, and the session continues with those of now.
      if (this.tokens.peek(key) === exchanged) this.tokens.delete(key);
      const renewed = await this.exchanged(request, shortId, key);
      if (renewed && (await this.feed.checkPerson(renewed)) === 'valid') return renewed;
    }
    throw new AppError('invalid_token', 'The session at the hub has ended. Sign in to the hub again.');
  }

  /**
   * A page of another site cannot use the session. With `SameSite=Strict` no browser sends the cookie there; this holds
   * for browsers that ignore it, and for our own sibling subdomains. @throws cross_site_request
   */
  requireOwnPage({ method, headers }: FastifyRequest): void {
    if (!isFromOwnPage(method, headers, this.ownOrigin)) throw new AppError('cross_site_request');
  }

  /** After a sign-out nothing of the session is left here; other gateways use their token for `tokenTtlMs` at most. */
  forget(shortId: string, id: string): void {
    this.tokens.delete(`${shortId} ${sessionHashOf(id)}`);
  }

  private exchanged(request: FastifyRequest, shortId: string, key: string): Exchanged {
    const cached = this.tokens.get(key);
    if (cached) return cached;
    const exchanged = this.exchange(request, shortId, key.slice(shortId.length + 1));
    this.tokens.set(key, exchanged);
    exchanged.catch(() => {
      if (this.tokens.peek(key) === exchanged) this.tokens.delete(key);
    });
    return exchanged;
  }

  private async exchange(request: FastifyRequest, shortId: string, session: string): Exchanged {
    const reply = await this.bus.request(exchangeHubSession, { session }, anonymousContextOf(request, shortId));
    if (reply.state === 'ended') return undefined;
    const claims = await this.accessTokens.verifyPersonToken(reply.token);
    return claims.org === shortId ? claims : undefined;
  }
}
