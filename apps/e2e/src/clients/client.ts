import type { OutgoingHttpHeaders } from 'node:http';
import type {
  AuditEvent,
  Credential,
  Offer,
  OfferDetails,
  PublicEvent,
  Subject,
  SubjectSummary,
} from '@holdfast/contracts';
import type { App, Stack } from '../stack/stack.ts';
import { Reference } from './contract.ts';
import { chosenIds, exchange, type Problem, type Reply } from './http.ts';

export interface Page<Item> {
  items: Item[];
  hasMore: boolean;
  nextPageToken?: string;
}

export interface CallOptions {
  /** Index of the gateway. Without it, the gateways take turns. */
  gateway?: number;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
  /** Sent as JSON. */
  json?: unknown;
  chunked?: boolean;
  timeoutMs?: number;
}

export interface TokenResponse {
  access_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
  error?: string;
  error_description?: string;
}

const references = new WeakMap<Stack, Promise<Reference>>();

/** The API reference of the stack, loaded once per test file. */
export function referenceOf(stack: Stack): Promise<Reference> {
  const reference = references.get(stack) ?? Reference.load(stack.gateways[0]!);
  references.set(stack, reference);
  return reference;
}

export function basic({ clientId, clientSecret }: Pick<App, 'clientId' | 'clientSecret'>): string {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** Requests a token as a standard client does. */
export function requestToken(
  stack: Stack,
  app: Pick<App, 'clientId' | 'clientSecret'>,
  scope: string,
  { gateway = 0, headers }: CallOptions = {},
): Promise<Reply<TokenResponse>> {
  return exchange<TokenResponse>({
    origin: stack.gateways[gateway]!,
    method: 'POST',
    path: '/oauth2/token',
    headers: { authorization: basic(app), 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }).toString(),
  });
}

let calls = 0;

/** Sends any request to the API and validates the response against the API reference. */
export async function callApi<Body = Problem>(
  stack: Stack,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply<Body>> {
  const { json, headers, gateway, ...rest } = options;
  const gateways = stack.gateways;
  const body = json === undefined ? rest.body : JSON.stringify(json);
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const reply = await exchange<Body>({
    ...rest,
    origin: gateways[gateway ?? (calls += 1) % gateways.length]!,
    method,
    path,
    headers: { ...type, ...headers },
    ...(body !== undefined && { body }),
  });
  if (stack.isDocumented) (await referenceOf(stack)).check(method, path, reply);
  return reply;
}

/** A program of an organization: it keeps its token and calls the API. */
export class Client {
  readonly stack: Stack;
  readonly app: App;
  readonly scopes: string[];
  #token: { value: Promise<string>; at: number } | undefined;

  constructor(stack: Stack, app: App, scopes: string[] = app.scopes) {
    this.stack = stack;
    this.app = app;
    this.scopes = scopes;
  }

  get api(): string {
    return `/o/${this.app.org}/api`;
  }

  /** The same app with fewer scopes. */
  with(...scopes: string[]): Client {
    return new Client(this.stack, this.app, scopes);
  }

  /** An access token that is valid for some minutes more. */
  token(): Promise<string> {
    if (!this.#token || performance.now() - this.#token.at > 240_000)
      this.#token = { value: this.newToken(), at: performance.now() };
    return this.#token.value;
  }

  /** After a failure: the next call requests a new token. */
  clearToken(): void {
    this.#token = undefined;
  }

  async newToken(): Promise<string> {
    const { status, body, text } = await requestToken(this.stack, this.app, this.scopes.join(' '));
    if (status !== 200) throw new Error(`no token for ${this.app.name}: ${status} ${text}`);
    return body.access_token;
  }

  async call<Body = Problem>(method: string, path: string, options: CallOptions = {}): Promise<Reply<Body>> {
    return callApi<Body>(this.stack, method, path, {
      ...options,
      headers: { authorization: `Bearer ${await this.token()}`, ...options.headers },
    });
  }

  /** With `{}` as the body, unless `json` or `options` have another one. */
  offer<Body = Offer>(json: unknown = {}, options: CallOptions = {}): Promise<Reply<Body>> {
    return this.call<Body>(
      'POST',
      `${this.api}/credentials/offers`,
      options.body === undefined ? { json, ...options } : options,
    );
  }

  getOffer<Body = OfferDetails>(offerId: string, options?: CallOptions): Promise<Reply<Body>> {
    return this.call<Body>('GET', `${this.api}/credentials/offers/${offerId}`, options);
  }

  withdraw(offerId: string, options?: CallOptions): Promise<Reply> {
    return this.call('DELETE', `${this.api}/credentials/offers/${offerId}`, options);
  }

  list<Body = Page<SubjectSummary>>(
    query: Record<string, string> | string = '',
    options?: CallOptions,
  ): Promise<Reply<Body>> {
    return this.call<Body>('GET', `${this.api}/credentials/subjects${queryOf(query)}`, options);
  }

  get<Body = Subject>(subject: string, options?: CallOptions): Promise<Reply<Body>> {
    return this.call<Body>('GET', `${this.api}/credentials/subjects/${subject}`, options);
  }

  erase(subject: string, options?: CallOptions): Promise<Reply> {
    return this.call('DELETE', `${this.api}/credentials/subjects/${subject}`, options);
  }

  issued<Body = Credential>(id: string, options?: CallOptions): Promise<Reply<Body>> {
    return this.call<Body>('GET', `${this.api}/credentials/issued/${id}`, options);
  }

  /** Without a body, unless a reason is given. */
  manage<Body = Credential>(
    transition: 'suspend' | 'resume' | 'revoke',
    id: string,
    reason?: string,
    options: CallOptions = {},
  ): Promise<Reply<Body>> {
    return this.call<Body>('POST', `${this.api}/credentials/issued/${id}/${transition}`, {
      ...(reason !== undefined && { json: { reason } }),
      ...options,
    });
  }

  audit<Body = Page<AuditEvent>>(
    query: Record<string, string> | string = '',
    options?: CallOptions,
  ): Promise<Reply<Body>> {
    return this.call<Body>('GET', `${this.api}/admin/audit/events${queryOf(query)}`, options);
  }

  /** Every subject, page by page. */
  async all(query: Record<string, string> = {}): Promise<SubjectSummary[]> {
    return allPages((token) => this.list({ limit: '200', ...query, ...token }));
  }

  /** The whole feed of events, oldest first. */
  async feed(): Promise<PublicEvent[]> {
    return allPages((token) =>
      this.call<Page<PublicEvent>>('GET', `${this.api}/admin/events${queryOf({ limit: '200', ...token })}`),
    );
  }

  /**
   * The whole log, or what a filter leaves of it, newest first. Requests have the ids that tests chose for them, even
   * where an erasure has removed these.
   */
  async wholeLog(query: Record<string, string> = {}): Promise<AuditEvent[]> {
    const events = await allPages((token) => this.audit({ limit: '200', ...query, ...token }));
    return events.map((e) => ({ ...e, request: { ...e.request, id: chosenIds.get(e.request.id) ?? e.request.id } }));
  }
}

/** Follows page tokens to the end. */
async function allPages<Item>(page: (token: Record<string, string>) => Promise<Reply<Page<Item>>>): Promise<Item[]> {
  const items: Item[] = [];
  let token: Record<string, string> = {};
  for (;;) {
    const { status, body, text } = await page(token);
    if (status !== 200) throw new Error(`a page returned ${status}: ${text}`);
    items.push(...body.items);
    if (!body.hasMore) return items;
    token = { next_page_token: body.nextPageToken! };
  }
}

function queryOf(query: Record<string, string> | string): string {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
}
