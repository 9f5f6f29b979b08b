import { ClientTokens } from './client-token.ts';
import { apiErrorOf, send, type HoldfastApiError } from './errors.ts';

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

export type CredentialAction = 'suspend' | 'resume' | 'revoke';

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

interface ApiAccess {
  api: string;
  tokenEndpoint: string;
  clientId: string;
  clientSecret: string;
  credentialType: string | undefined;
}

/**
 * The requests of the customer-credentials API that a shop needs. They throw HoldfastApiError or HoldfastUnavailable.
 */
export class CredentialsApi {
  readonly #api: string;
  readonly #tokens: ClientTokens;
  /** If empty, Holdfast offers the organization's default credential type. */
  readonly #type: { credentialType?: string };

  constructor(access: ApiAccess) {
    this.#api = access.api;
    this.#tokens = new ClientTokens(access);
    this.#type = access.credentialType === undefined ? {} : { credentialType: access.credentialType };
  }

  /**
   * Makes an offer to a new customer. A repeated request with the same key, after a lost response or a double click,
   * returns the same offer.
   */
  offer(idempotencyKey: string, returnUrl: string, altcha?: string): Promise<Offer> {
    return this.#json('offers:write', 'POST', '/offers', {
      idempotencyKey,
      body: { ...this.#type, returnUrl, ...presence(altcha) },
    });
  }

  /**
   * Makes an offer to an existing customer, such as a new link for a lost phone. It needs the scope issued:manage as
   * well, which the token of the sign-up form does not have.
   */
  offerAgain(subject: string, idempotencyKey: string, returnUrl: string, altcha?: string): Promise<Offer> {
    return this.#json('offers:write issued:manage', 'POST', '/offers', {
      idempotencyKey,
      body: { ...this.#type, subject, returnUrl, ...presence(altcha) },
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

  /** `reason` is a code for programs. It is kept in the organization's audit log, so never a name or an address. */
  change(credentialId: string, action: CredentialAction, reason?: string): Promise<Credential> {
    return this.#json('issued:manage', 'POST', `/issued/${encodeURIComponent(credentialId)}/${action}`, {
      body: { ...(reason && { reason }) },
    });
  }

  async erase(subject: string): Promise<void> {
    await this.#call('issued:manage', 'DELETE', `/subjects/${encodeURIComponent(subject)}`);
  }

  async #json<T>(scope: string, method: string, path: string, options: RequestOptions = {}): Promise<T> {
    return (await (await this.#call(scope, method, path, options)).json()) as T;
  }

  async #call(scope: string, method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const first = await this.#send(scope, method, path, options);
    if (first.ok) return first;
    const error = await apiErrorOf(first);
    if (!isRetryable(error)) throw error;
    if (error.code === 'invalid_token') this.#tokens.clear(scope);
    else await new Promise((resolve) => setTimeout(resolve, 1000));
    const second = await this.#send(scope, method, path, options);
    if (second.ok) return second;
    throw await apiErrorOf(second);
  }

  async #send(
    scope: string,
    method: string,
    path: string,
    { body, idempotencyKey }: RequestOptions,
  ): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${await this.#tokens.get(scope)}` };
    if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
    if (body) headers['content-type'] = 'application/json';
    return send(this.#api + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }
}

/** The presence proof from the widget, in the form that the API expects. */
function presence(altcha: string | undefined): { presence?: { type: 'altcha'; payload: string } } {
  return altcha ? { presence: { type: 'altcha', payload: altcha } } : {};
}

interface RequestOptions {
  body?: object;
  idempotencyKey?: string;
}

/**
 * `invalid_token`: a new token may be accepted. `idempotency_in_progress`: the first request of a double click has not
 * finished yet.
 */
function isRetryable({ code }: HoldfastApiError): boolean {
  return code === 'invalid_token' || code === 'idempotency_in_progress';
}
