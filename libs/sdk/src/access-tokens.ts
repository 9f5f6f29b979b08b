import type { CryptoKey } from 'jose';
import * as oauth from 'oauth4webapi';
import { ApiError, UnavailableError } from './errors.js';
import { isLoopback } from './loopback.js';

export interface TokenOptions {
  /** Address of the deployment, which is the issuer of these tokens, such as `https://id.example`. */
  baseUrl: string;
  clientId: string;
  clientSecret?: string;
  /** In place of a secret: signs an assertion for each token (RFC 7523). */
  privateKey?: { key: CryptoKey; kid: string };
  /** Binds each token to a key (RFC 9449): one of your own, or `true` for a new one of this process. */
  dpop?: { privateKey: CryptoKey; publicKey: CryptoKey } | boolean;
}

export interface AccessToken {
  value: string;
  dpop: oauth.DPoPHandle | undefined;
}

interface CachedToken extends AccessToken {
  /** Milliseconds since 1970. */
  expiresAtMs: number;
  /** From then on it is replaced in the background while it is still used. */
  refreshAtMs: number;
}

interface Server {
  as: oauth.AuthorizationServer;
  dpop: oauth.DPoPHandle | undefined;
}

const refreshAheadMs = 120_000;
/** Between two attempts to replace a token in the background. */
const refreshPauseMs = 5000;
/** A token with less time left is not used: it could end on the way. */
const marginMs = 15_000;
const timeoutMs = 10_000;

/**
 * The app's own access tokens (client-credentials grant), one for each set of scopes, so that a token has no more
 * rights than the call that it is for. Concurrent calls share one request.
 */
export class AccessTokens {
  private readonly cache = new Map<string, CachedToken>();
  private readonly requests = new Map<string, Promise<CachedToken>>();
  private readonly client: oauth.Client;
  private server: Promise<Server> | undefined;

  constructor(
    private readonly options: TokenOptions,
    private readonly fetch: typeof globalThis.fetch,
    private readonly now: () => number = Date.now,
  ) {
    if (!options.clientSecret === !options.privateKey)
      throw new TypeError('Give either clientSecret or privateKey: an app has one or the other.');
    this.client = { client_id: options.clientId };
  }

  /** @throws ApiError when the app may not have such a token, UnavailableError when none could be requested */
  async get(scope: string): Promise<AccessToken> {
    const cached = this.cache.get(scope);
    const nowMs = this.now();
    if (!cached || cached.expiresAtMs - nowMs < marginMs) return this.request(scope);
    if (nowMs >= cached.refreshAtMs) {
      cached.refreshAtMs = nowMs + refreshPauseMs;
      // A failure that lasts is reported when the token has ended.
      void this.request(scope).catch(() => undefined);
    }
    return cached;
  }

  /** To be called when a token was refused: the app, a secret or a grant has changed. */
  discard(scope: string, { value }: AccessToken): void {
    if (this.cache.get(scope)?.value === value) this.cache.delete(scope);
  }

  private request(scope: string): Promise<CachedToken> {
    const running = this.requests.get(scope);
    if (running) return running;
    const requested = this.grant(scope).finally(() => this.requests.delete(scope));
    this.requests.set(scope, requested);
    return requested;
  }

  private async grant(scope: string): Promise<CachedToken> {
    try {
      const { as, dpop } = await this.discover();
      const response = await this.send(as, dpop, scope);
      this.cache.set(scope, response);
      return response;
    } catch (error) {
      throw await errorOf(error);
    }
  }

  private async send(
    as: oauth.AuthorizationServer,
    dpop: oauth.DPoPHandle | undefined,
    scope: string,
    isRepeat = false,
  ): Promise<CachedToken> {
    const { clientSecret, privateKey } = this.options;
    const authentication = privateKey ? oauth.PrivateKeyJwt(privateKey) : oauth.ClientSecretBasic(clientSecret!);
    const requestedAtMs = this.now();
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      this.client,
      authentication,
      { scope },
      { ...this.requestOptions(), ...(dpop && { DPoP: dpop }) },
    );
    if (response.status >= 500) throw new UnavailableError(`The token endpoint responded ${response.status}.`);
    try {
      const token = await oauth.processClientCredentialsResponse(as, this.client, response);
      const expiresAtMs = requestedAtMs + (token.expires_in ?? 0) * 1000;
      return { value: token.access_token, dpop, expiresAtMs, refreshAtMs: expiresAtMs - refreshAheadMs };
    } catch (error) {
      if (isRepeat || !oauth.isDPoPNonceError(error)) throw error;
      return this.send(as, dpop, scope, true);
    }
  }

  /** Reads the server's metadata once (RFC 8414). A failure is not cached. */
  private discover(): Promise<Server> {
    this.server ??= this.loadServer().catch((error: unknown) => {
      this.server = undefined;
      throw error;
    });
    return this.server;
  }

  private async loadServer(): Promise<Server> {
    const issuer = new URL(this.options.baseUrl);
    const response = await oauth.discoveryRequest(issuer, { ...this.requestOptions(), algorithm: 'oauth2' });
    if (response.status >= 500) throw new UnavailableError(`${issuer.origin} responded ${response.status}.`);
    const as = await oauth.processDiscoveryResponse(issuer, response);
    const { dpop } = this.options;
    if (!dpop) return { as, dpop: undefined };
    const keys = dpop === true ? await oauth.generateKeyPair('ES256') : dpop;
    return { as, dpop: oauth.DPoP(this.client, keys) };
  }

  private requestOptions() {
    return {
      [oauth.customFetch]: this.fetch,
      [oauth.allowInsecureRequests]: isLoopback(this.options.baseUrl),
      signal: AbortSignal.timeout(timeoutMs),
    };
  }
}

async function errorOf(error: unknown): Promise<Error> {
  if (error instanceof UnavailableError) return error;
  if (error instanceof oauth.ResponseBodyError) return new ApiError(error.response, error.cause);
  if (error instanceof oauth.WWWAuthenticateChallengeError)
    return new ApiError(error.response, await error.response.json().catch(() => undefined));
  return new UnavailableError(`No token could be requested: ${String(error)}`, { cause: error });
}
