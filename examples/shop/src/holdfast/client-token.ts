import { ask, refusalOf } from './trouble.ts';

interface Client {
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string;
}

interface Kept {
  token: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** A token that runs out on its way is refused, so we stop using it a little earlier. */
const margin = 30_000;

/**
 * The app's own tokens (client-credentials grant), one per set of scopes, kept until they run out. Asking for no more
 * than the task at hand needs means that a token which leaks from the sign-up form cannot read or erase a customer.
 */
export class ClientTokens {
  readonly #client: Client;
  readonly #now: () => number;
  readonly #kept = new Map<string, Promise<Kept>>();

  constructor(client: Client, now: () => number = Date.now) {
    this.#client = client;
    this.#now = now;
  }

  async get(scope: string): Promise<string> {
    const before = this.#kept.get(scope);
    const kept = before && (await before);
    if (kept && kept.until > this.#now()) return kept.token;
    // Kept while it is on its way, so that ten customers at once cost one request; the first of them makes it.
    const meanwhile = this.#kept.get(scope);
    if (meanwhile && meanwhile !== before) return (await meanwhile).token;
    const asked = this.#ask(scope);
    this.#kept.set(scope, asked);
    asked.catch(() => this.#kept.delete(scope));
    return (await asked).token;
  }

  /** After a 401: the secret was rotated, or the app was changed. */
  forget(scope: string): void {
    this.#kept.delete(scope);
  }

  async #ask(scope: string): Promise<Kept> {
    const { tokenEndpoint, clientId, clientSecret } = this.#client;
    const response = await ask(tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    if (!response.ok) throw await refusalOf(response);
    const { access_token: token, expires_in: seconds } = (await response.json()) as {
      access_token: string;
      expires_in: number;
    };
    return { token, until: this.#now() + seconds * 1000 - margin };
  }
}
