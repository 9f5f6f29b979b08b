import * as oidc from 'openid-client';
import { newApp, newCustomer, startAuthStack, type AuthStack, type TestApp } from './auth-stack.fixture.js';
import { TestBrowser } from './test-browser.fixture.js';

export interface Begun {
  url: string;
  checks: { pkceCodeVerifier: string; expectedNonce: string; expectedState: string };
}

interface SigningIn {
  as?: string;
  browser?: TestBrowser;
  more?: Record<string, string | undefined>;
}

/** An app with a standard client library. */
export class RelyingParty {
  private constructor(
    readonly stack: AuthStack,
    readonly app: TestApp,
    readonly config: oidc.Configuration,
  ) {}

  static async start(stack: AuthStack, changes: Parameters<typeof newApp>[1] = {}): Promise<RelyingParty> {
    const app = await newApp(stack, changes);
    const authentication = app.app.kind === 'web' ? oidc.ClientSecretBasic(app.secret) : oidc.None();
    const metadata = { id_token_signed_response_alg: app.app.idTokenAlg ?? 'RS256' };
    const config = await oidc.discovery(
      new URL(`${stack.base}/o/${app.app.org}`),
      app.clientId,
      metadata,
      authentication,
      { execute: [oidc.allowInsecureRequests] },
    );
    return new RelyingParty(stack, app, config);
  }

  async begin(more: Record<string, string | undefined> = {}): Promise<Begun> {
    const checks = {
      pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
      expectedNonce: oidc.randomNonce(),
      expectedState: oidc.randomState(),
    };
    const parameters: Record<string, string | undefined> = {
      redirect_uri: this.app.redirectUri,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
      nonce: checks.expectedNonce,
      state: checks.expectedState,
      ...more,
    };
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { url: oidc.buildAuthorizationUrl(this.config, Object.fromEntries(given)).href, checks };
  }

  /** Signs a customer in and exchanges the code. */
  async signIn({
    as = newCustomer(this.app.app.org),
    browser = new TestBrowser(this.stack.base),
    more = {},
  }: SigningIn = {}) {
    const { url, checks } = await this.begin(more);
    const back = new URL(await browser.signIn(url, as));
    const tokens = await oidc.authorizationCodeGrant(this.config, back, checks);
    return { as, browser, tokens, claims: tokens.claims()!, refreshToken: tokens.refresh_token! };
  }

  /** Signs a customer in up to the code. */
  async code({
    as = newCustomer(this.app.app.org),
    browser = new TestBrowser(this.stack.base),
    more = {},
  }: SigningIn = {}) {
    const { url, checks } = await this.begin(more);
    const back = new URL(await browser.signIn(url, as));
    return { as, browser, code: back.searchParams.get('code')!, verifier: checks.pkceCodeVerifier };
  }

  /** What the address answers at once, as the parameters that the app would get; or the page. */
  async silently(browser: TestBrowser, more: Record<string, string | undefined>) {
    const { url } = await this.begin(more);
    const { location, status } = await browser.go(url);
    return location.startsWith('https://') ? Object.fromEntries(new URL(location).searchParams) : { status, location };
  }

  async exchange(
    parameters: Record<string, string | undefined>,
    path = `/o/${this.app.app.org}/token`,
    base = this.stack.base,
  ) {
    const basic: Record<string, string> =
      this.app.app.kind === 'web'
        ? { authorization: `Basic ${Buffer.from(`${this.app.clientId}:${this.app.secret}`).toString('base64')}` }
        : {};
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: this.app.redirectUri,
      client_id: this.app.clientId,
    });
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined) body.delete(name);
      else body.set(name, value);
    }
    const response = await fetch(base + path, { method: 'POST', body, headers: basic });
    return {
      status: response.status,
      json: (await response.json()) as Record<string, string>,
      headers: response.headers,
    };
  }

  /** At the replica with this address. */
  refresh(refreshToken: string, more: Record<string, string> = {}, base = this.stack.base) {
    return this.exchange(
      { grant_type: 'refresh_token', redirect_uri: undefined, refresh_token: refreshToken, ...more },
      undefined,
      base,
    );
  }

  async userinfo(accessToken: string, org = this.app.app.org) {
    const response = await fetch(`${this.stack.base}/o/${org}/userinfo`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    return {
      status: response.status,
      json: (await response.json()) as Record<string, unknown>,
      headers: response.headers,
    };
  }
}

/** A confidential client with refresh tokens, one without, and a public client, of one organization. */
export async function startRelyingParties(): Promise<{
  stack: AuthStack;
  shop: RelyingParty;
  kiosk: RelyingParty;
  spa: RelyingParty;
}> {
  const stack = await startAuthStack();
  const [shop, kiosk, spa] = [
    await RelyingParty.start(stack),
    await RelyingParty.start(stack, { name: 'Kiosk', refreshTokens: false }),
    await RelyingParty.start(stack, { kind: 'spa' }),
  ];
  return { stack, shop, kiosk, spa };
}
