import * as oidc from 'openid-client';
import type { App } from '@holdfast/contracts';
import { addApp, AuthStack, basicAuthorization, type TestApp } from './auth-stack.fixture.js';
import { newCustomer } from './service-stubs.fixture.js';
import { TestBrowser } from './test-browser.fixture.js';

export interface BegunSignIn {
  url: string;
  checks: { pkceCodeVerifier: string; expectedNonce: string; expectedState: string };
}

interface SignInOptions {
  /** The customer, by default a new one. */
  as?: string;
  /** By default a new one. */
  browser?: TestBrowser;
  /** Parameters of the authorization request. */
  more?: Record<string, string | undefined>;
}

/** An app with a standard OpenID Connect client library. */
export class RelyingParty {
  private constructor(
    readonly stack: AuthStack,
    readonly app: TestApp,
    readonly config: oidc.Configuration,
  ) {}

  static async start(stack: AuthStack, changes: Partial<App> = {}): Promise<RelyingParty> {
    const app = addApp(changes);
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

  async begin(more: Record<string, string | undefined> = {}): Promise<BegunSignIn> {
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
  }: SignInOptions = {}) {
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
  }: SignInOptions = {}) {
    const { url, checks } = await this.begin(more);
    const back = new URL(await browser.signIn(url, as));
    return { as, browser, code: back.searchParams.get('code')!, verifier: checks.pkceCodeVerifier };
  }

  /** Sends an authorization request. Returns the parameters for the app if it redirects there, or else the response. */
  async authorize(browser: TestBrowser, more: Record<string, string | undefined>) {
    const { url } = await this.begin(more);
    const { location, status } = await browser.go(url);
    return location.startsWith('https://') ? Object.fromEntries(new URL(location).searchParams) : { status, location };
  }

  /** Sends a token request. */
  async exchange(
    parameters: Record<string, string | undefined>,
    path = `/o/${this.app.app.org}/token`,
    base = this.stack.base,
  ) {
    const headers: Record<string, string> =
      this.app.app.kind === 'web' ? { authorization: basicAuthorization(this.app) } : {};
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: this.app.redirectUri,
      client_id: this.app.clientId,
    });
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined) body.delete(name);
      else body.set(name, value);
    }
    const response = await fetch(base + path, { method: 'POST', body, headers });
    return {
      status: response.status,
      json: (await response.json()) as Record<string, string>,
      headers: response.headers,
    };
  }

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

/** A stack with an app of each name: `await startRelyingParties({ shop: {}, kiosk: { refreshTokens: false } })`. */
export async function startRelyingParties<Name extends string>(
  apps: Record<Name, Partial<App>>,
  config: Parameters<typeof AuthStack.start>[0] = {},
): Promise<RelyingParties<Name>> {
  const stack = await AuthStack.start(config);
  const entries = Object.entries<Partial<App>>(apps).map(
    async ([name, changes]) => [name, await RelyingParty.start(stack, changes)] as const,
  );
  const parties = Object.fromEntries(await Promise.all(entries)) as Record<Name, RelyingParty>;
  return { stack, ...parties };
}

export type RelyingParties<Name extends string> = { stack: AuthStack } & Record<Name, RelyingParty>;
