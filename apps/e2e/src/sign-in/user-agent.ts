import { CookieJar, type Cookie } from '@holdfast/testing';

export interface BrowserResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; empty when it is not JSON. */
  json: Record<string, unknown>;
  /** The `Location` header; empty without one. */
  location: string;
  /** The `Set-Cookie` headers. */
  cookies: string[];
}

/** A browser as far as cookies are concerned: it keeps them by name and path. It does not follow redirects. */
export class UserAgent {
  readonly base: string;
  readonly #name: string | undefined;
  readonly #jar = new CookieJar();

  /** @param name the value of `User-Agent` */
  constructor(base: string, name?: string) {
    this.base = base;
    this.#name = name;
  }

  get cookies(): Cookie[] {
    return this.#jar.cookies;
  }

  set cookies(cookies: Cookie[]) {
    this.#jar.cookies = cookies;
  }

  async go(url: string, init: RequestInit = {}): Promise<BrowserResponse> {
    const address = new URL(url, this.base);
    const cookie = this.#jar.for(address.pathname);
    const headers = {
      accept: 'text/html',
      ...(this.#name !== undefined && { 'user-agent': this.#name }),
      ...(cookie && { cookie }),
      ...(init.headers as Record<string, string>),
    };
    const response = await fetch(address, { ...init, redirect: 'manual', headers });
    const cookies = response.headers.getSetCookie();
    this.#jar.keep(cookies, address.pathname);
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      location: response.headers.get('location') ?? '',
      cookies,
    };
  }

  /** Calls a JSON route as a script of Holdfast's own pages does. */
  post(url: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<BrowserResponse> {
    const sameOrigin = {
      'content-type': 'application/json',
      accept: 'application/json',
      origin: new URL(this.base).origin,
      'sec-fetch-site': 'same-origin',
    };
    return this.go(url, { method: 'POST', body: JSON.stringify(body), headers: { ...sameOrigin, ...headers } });
  }

  form(url: string, body: Record<string, string>): Promise<BrowserResponse> {
    return this.go(url, {
      method: 'POST',
      body: new URLSearchParams(body).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  }
}

/** Names and values of the fields of a page's only form. */
export function fieldsOf(html: string): Record<string, string> {
  const inputs = [...html.matchAll(/<input[^>]*>/g)].map(([tag]) => tag);
  const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return Object.fromEntries(
    inputs.flatMap((tag) =>
      attribute(tag, 'name') === undefined ? [] : [[attribute(tag, 'name')!, unescape(attribute(tag, 'value') ?? '')]],
    ),
  );
}

export function actionOf(html: string): string | undefined {
  const found = /<form[^>]*\baction="([^"]*)"/.exec(html)?.[1];
  return found && unescape(found);
}

function unescape(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|#39|#x27|#x2F);/gi,
    (_, name: string) =>
      ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", '#x2f': '/' })[name.toLowerCase()] ?? '',
  );
}
