import { ClientTokens } from './client-token.ts';
import { ask, refusalOf, type HoldfastRefused } from './trouble.ts';

export interface Offer {
  subject: string;
  claimUrl: string;
  offerId: string;
  credentialId: string;
  expiresAt: string;
}

export interface CustomerSummary {
  subject: string;
  claimed: boolean;
  credentials: number;
  live: number;
  openOffers: number;
  lastIssuedAt?: string;
  createdAt: string;
}

export interface Credential {
  id: string;
  credentialType: string;
  status: 'offered' | 'issued' | 'suspended' | 'revoked';
  issuedAt?: string;
  expiresAt?: string;
  revokedAt?: string;
  revokedReason?: string;
  revocable: boolean;
  holderApp?: string;
  createdAt: string;
}

export interface Customer {
  subject: string;
  claimed: boolean;
  credentials: Credential[];
}

export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  nextPageToken?: string;
}

interface Access {
  api: string;
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string;
  credentialType: string | undefined;
}

/** The customer-credentials API, as far as a shop needs it. Every method throws HoldfastRefused or HoldfastAway. */
export class CredentialsApi {
  readonly #api: string;
  readonly #tokens: ClientTokens;
  /** What is offered; without one Holdfast takes the organization's default type. */
  readonly #offered: { credentialType?: string };

  constructor(access: Access) {
    this.#api = access.api;
    this.#tokens = new ClientTokens(access);
    this.#offered = access.credentialType === undefined ? {} : { credentialType: access.credentialType };
  }

  /**
   * To a new customer. The same key again, after a lost answer or a double click, gives the same offer and not a second
   * one.
   */
  offer(idempotencyKey: string, returnUrl: string, altcha?: string): Promise<Offer> {
    return this.#json('offers:write', 'POST', '/offers', {
      idempotencyKey,
      body: { ...this.#offered, returnUrl, ...proof(altcha) },
    });
  }

  /**
   * To a customer that we have: a new link for a lost phone. Needs issued:manage too, so the sign-up form cannot do it.
   */
  offerAgain(subject: string, idempotencyKey: string, returnUrl: string, altcha?: string): Promise<Offer> {
    return this.#json('offers:write issued:manage', 'POST', '/offers', {
      idempotencyKey,
      body: { ...this.#offered, subject, returnUrl, ...proof(altcha) },
    });
  }

  async withdraw(offerId: string): Promise<void> {
    await this.#call('offers:write', 'DELETE', `/offers/${encodeURIComponent(offerId)}`);
  }

  list(query: URLSearchParams): Promise<Page<CustomerSummary>> {
    return this.#json('issued:read', 'GET', `/subjects?${query}`);
  }

  customer(subject: string): Promise<Customer> {
    return this.#json('issued:read', 'GET', `/subjects/${encodeURIComponent(subject)}`);
  }

  /** `reason` is a word for programs and stands in the organization's audit log: never a name or an address. */
  change(credentialId: string, act: 'suspend' | 'resume' | 'revoke', reason?: string): Promise<Credential> {
    return this.#json('issued:manage', 'POST', `/issued/${encodeURIComponent(credentialId)}/${act}`, {
      body: { ...(reason && { reason }) },
    });
  }

  async erase(subject: string): Promise<void> {
    await this.#call('issued:manage', 'DELETE', `/subjects/${encodeURIComponent(subject)}`);
  }

  async #json<T>(scope: string, method: string, path: string, sent: Sent = {}): Promise<T> {
    return (await (await this.#call(scope, method, path, sent)).json()) as T;
  }

  async #call(scope: string, method: string, path: string, sent: Sent = {}): Promise<Response> {
    const first = await this.#once(scope, method, path, sent);
    if (first.ok) return first;
    const refusal = await refusalOf(first);
    if (!worthAnotherTry(refusal)) throw refusal;
    if (refusal.code === 'invalid_token') this.#tokens.forget(scope);
    else await new Promise((resolve) => setTimeout(resolve, 1000));
    const second = await this.#once(scope, method, path, sent);
    if (second.ok) return second;
    throw await refusalOf(second);
  }

  async #once(scope: string, method: string, path: string, { body, idempotencyKey }: Sent): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${await this.#tokens.get(scope)}` };
    if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
    if (body) headers['content-type'] = 'application/json';
    return ask(this.#api + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }
}

/** What the widget gave, under the name that the API has for it. */
function proof(altcha: string | undefined): { presence?: { type: 'altcha'; payload: string } } {
  return altcha ? { presence: { type: 'altcha', payload: altcha } } : {};
}

interface Sent {
  body?: object;
  idempotencyKey?: string;
}

/**
 * `invalid_token`: a fresh one may do. `idempotency_in_progress`: the other half of a double click is about to finish.
 */
function worthAnotherTry({ code }: HoldfastRefused): boolean {
  return code === 'invalid_token' || code === 'idempotency_in_progress';
}
