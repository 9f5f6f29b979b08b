import { apiErrorOf, send } from './errors.ts';

export interface Client {
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string;
}

interface CachedToken {
  token: string;
  /** Milliseconds since 1970. */
  usableUntil: number;
}

/** A token is replaced this long before it expires: one that expires during a request is rejected. */
const marginMs = 30_000;

/**
 * The app's own access tokens (client-credentials grant), one per set of scopes, cached until shortly before they
 * expire. Each has the scopes of one task only: a token that leaks from the sign-up form can neither read nor erase a
 * customer.
 */
export class ClientTokens {
  readonly #client: Client;
  readonly #now: () => number;
  readonly #cache = new Map<string, Promise<CachedToken>>();

  constructor(client: Client, now: () => number = Date.now) {
    this.#client = client;
    this.#now = now;
  }

  async get(scope: string): Promise<string> {
    const before = this.#cache.get(scope);
    const cached = before && (await before);
    if (cached && cached.usableUntil > this.#now()) return cached.token;
    // The promise is cached, so that concurrent customers share one token request.
    const concurrent = this.#cache.get(scope);
    if (concurrent && concurrent !== before) return (await concurrent).token;
    const requested = this.#request(scope);
    this.#cache.set(scope, requested);
    requested.catch(() => this.#cache.delete(scope));
    return (await requested).token;
  }

  /** To be called after a 401: the secret was rotated, or the app was changed. */
  clear(scope: string): void {
    this.#cache.delete(scope);
  }

  async #request(scope: string): Promise<CachedToken> {
    const { tokenEndpoint, clientId, clientSecret } = this.#client;
    const response = await send(tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    if (!response.ok) throw await apiErrorOf(response);
    const { access_token: token, expires_in: seconds } = (await response.json()) as {
      access_token: string;
      expires_in: number;
    };
    return { token, usableUntil: this.#now() + seconds * 1000 - marginMs };
  }
}
