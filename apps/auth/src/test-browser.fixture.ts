interface Cookie {
  name: string;
  value: string;
  path: string;
}

export interface PageResponse {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
  /** The address of a redirect; empty without one. */
  location: string;
}

/** The token that the form of a sign-out page sends. */
export function xsrfOf({ text }: PageResponse): string {
  return /name="xsrf" value="([^"]+)"/.exec(text)![1]!;
}

/** Stores cookies by name and path, as a browser does, and does not follow redirects. */
export class TestBrowser {
  cookies: Cookie[] = [];

  constructor(readonly base: string) {}

  async go(url: string, init: RequestInit = {}): Promise<PageResponse> {
    const address = new URL(url, this.base);
    const cookie = this.cookies
      .filter(
        ({ path }) => address.pathname === path || address.pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(address, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie && { cookie }), ...(init.headers as Record<string, string>) },
    });
    for (const line of response.headers.getSetCookie()) this.keep(line, address.pathname);
    const text = await response.text();
    const isJson = text !== '' && (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      location: response.headers.get('location') ?? '',
    };
  }

  post(url: string, body: object = {}, headers: Record<string, string> = {}): Promise<PageResponse> {
    return this.go(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        origin: this.base,
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    });
  }

  form(url: string, body: Record<string, string>): Promise<PageResponse> {
    return this.go(url, {
      method: 'POST',
      body: new URLSearchParams(body).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  }

  /** Opens an authorization URL and signs in as this customer; returns the redirect to the app. */
  async signIn(url: string, as: string): Promise<string> {
    const page = await this.begin(url);
    await this.post(`${page}/options`);
    const done = await this.post(`${page}/complete`, { response: { as } });
    if (typeof done.json.redirectTo !== 'string') throw new Error(`not signed in: ${done.status} ${done.text}`);
    return (await this.go(done.json.redirectTo)).location;
  }

  /** Opens the sign-out page of an organization and confirms. */
  async confirmSignOut(org: string): Promise<PageResponse> {
    const page = await this.go(`/o/${org}/session/end`);
    return this.form(`/o/${org}/session/end/confirm`, { xsrf: xsrfOf(page), logout: 'yes' });
  }

  /** Opens an authorization URL; returns the address of the sign-in's API. */
  async begin(url: string): Promise<string> {
    const { status, location, text } = await this.go(url);
    if (!location.includes('/sign-in/')) throw new Error(`no sign-in page: ${status} ${location} ${text}`);
    return location.replace('/sign-in/', '/api/sign-in/');
  }

  private keep(line: string, requested: string): void {
    const [pair, ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair!.indexOf('=');
    const name = pair!.slice(0, at);
    const value = pair!.slice(at + 1);
    const path = attributes.find((a) => a.toLowerCase().startsWith('path='))?.slice(5) ?? requested;
    this.cookies = this.cookies.filter((c) => c.name !== name || c.path !== path);
    const isDeleted =
      value === '' ||
      attributes.some((a) => a.toLowerCase().startsWith('expires=') && new Date(a.slice(8)).getTime() < Date.now());
    if (!isDeleted) this.cookies.push({ name, value, path });
  }
}
