import { expect } from '@jest/globals';
import * as oidc from 'openid-client';
import { eventually, type SoftwareAuthenticator } from '@holdfast/testing';
import { basic } from '../clients/client.ts';
import { stack } from '../clients/under-test.ts';
import type { App } from '../stack/stack.ts';
import { signIn } from './customer.fixture.ts';
import { UserAgent } from './user-agent.ts';

export interface PartyOptions {
  kind?: 'web' | 'spa' | 'native';
  audience?: 'customers' | 'people';
  redirectUris?: string[];
  postLogoutRedirectUris?: string[];
  pkce?: 'required' | 'optional' | 'optional_without_nonce';
  idTokenAlg?: 'RS256' | 'ES256';
  grants?: string[];
  backchannelLogoutUri?: string;
  accessTokenFormat?: 'opaque' | 'jwt';
  requireDpop?: boolean;
}

export interface Checks {
  pkceCodeVerifier: string;
  expectedNonce: string;
  expectedState: string;
}

type OAuthParameters = Record<string, string | undefined>;

/** An app of an organization with a standard client library, which is configured by the discovery document. */
export class RelyingParty {
  readonly app: App;
  readonly config: oidc.Configuration;
  readonly redirectUri: string;

  private constructor(app: App, config: oidc.Configuration) {
    this.app = app;
    this.config = config;
    this.redirectUri = app.redirectUris[0]!;
  }

  static async make(org: string, name: string, options: PartyOptions = {}): Promise<RelyingParty> {
    const {
      kind = 'web',
      audience,
      redirectUris = ['https://shop.example/callback'],
      postLogoutRedirectUris = ['https://shop.example/bye'],
      pkce,
      idTokenAlg,
      grants = [],
      backchannelLogoutUri,
      accessTokenFormat,
      requireDpop = false,
    } = options;
    const app = await stack.createApp({
      org,
      name,
      kind,
      redirectUris,
      postLogoutRedirectUris,
      scopes: grants,
      ...(audience && { audience }),
      ...(pkce && { pkce }),
      ...(idTokenAlg && { idTokenAlg }),
      ...(backchannelLogoutUri && { backchannelLogoutUri }),
      ...(accessTokenFormat && { accessTokenFormat }),
      requireDpop,
    });
    return RelyingParty.of(app, idTokenAlg);
  }

  static async of(app: App, alg = 'RS256'): Promise<RelyingParty> {
    const authentication = app.clientSecret ? oidc.ClientSecretBasic(app.clientSecret) : oidc.None();
    const execute = [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks];
    const issuer = new URL(`${stack.baseUrl}/o/${app.org}`);
    // The stack may still recover from an outage that another file caused, and then answers 503 for a moment.
    await eventually(async () =>
      expect((await fetch(`${issuer.href}/.well-known/openid-configuration`)).status).toBe(200),
    );
    return new RelyingParty(
      app,
      await oidc.discovery(issuer, app.clientId, { id_token_signed_response_alg: alg }, authentication, { execute }),
    );
  }

  /** An authorization URL, and the values that the response is checked against. `undefined` omits a parameter. */
  async begin(more: OAuthParameters = {}): Promise<{ url: string; checks: Checks }> {
    const checks = {
      pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
      expectedNonce: oidc.randomNonce(),
      expectedState: oidc.randomState(),
    };
    const parameters: OAuthParameters = {
      redirect_uri: this.redirectUri,
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

  /** Signs a customer in and exchanges the code, with every check of the library. */
  async signIn(
    authenticator: SoftwareAuthenticator,
    { agent = new UserAgent(stack.baseUrl), more = {} }: { agent?: UserAgent; more?: OAuthParameters } = {},
  ) {
    const { url, checks } = await this.begin(more);
    const { location } = await signIn(agent, url, authenticator);
    const tokens = await oidc.authorizationCodeGrant(this.config, new URL(location), checks);
    return {
      agent,
      tokens,
      claims: tokens.claims()!,
      idToken: tokens.id_token!,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token!,
    };
  }

  /** Signs a customer in up to the code. */
  async code(
    authenticator: SoftwareAuthenticator,
    { agent = new UserAgent(stack.baseUrl), more = {} }: { agent?: UserAgent; more?: OAuthParameters } = {},
  ) {
    const { url, checks } = await this.begin(more);
    const { location } = await signIn(agent, url, authenticator);
    const response = new URL(location).searchParams;
    return { agent, code: response.get('code')!, code_verifier: checks.pkceCodeVerifier, iss: response.get('iss') };
  }

  /**
   * The parameters of the authorization response when the endpoint redirects to the app at once. Empty when the
   * customer has to sign in.
   */
  async silently(agent: UserAgent, more: OAuthParameters = {}): Promise<Record<string, string>> {
    const { url } = await this.begin(more);
    const { location } = await agent.go(url);
    return location.startsWith(this.redirectUri) ? Object.fromEntries(new URL(location).searchParams) : {};
  }

  /** Calls the token endpoint without the library and its checks. `undefined` omits a parameter. */
  async token(
    parameters: OAuthParameters,
    { issuer = this.config.serverMetadata().issuer, as = this.app }: { issuer?: string; as?: App } = {},
  ) {
    const given = {
      grant_type: 'authorization_code',
      redirect_uri: this.redirectUri,
      client_id: as.clientId,
      ...parameters,
    };
    const body = new URLSearchParams(
      Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const headers: Record<string, string> = as.clientSecret ? { authorization: basic(as) } : {};
    const response = await fetch(`${issuer}/token`, { method: 'POST', body, headers });
    return {
      status: response.status,
      json: (await response.json()) as Record<string, string>,
      headers: response.headers,
    };
  }

  refresh(refreshToken: string, options: { issuer?: string; as?: App } = {}) {
    return this.token({ grant_type: 'refresh_token', redirect_uri: undefined, refresh_token: refreshToken }, options);
  }

  async userinfo(accessToken: string, org = this.app.org, gateway = stack.baseUrl) {
    const response = await fetch(`${gateway}/o/${org}/userinfo`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    return {
      status: response.status,
      json: (await response.json()) as Record<string, unknown>,
      headers: response.headers,
    };
  }
}
