import type { CryptoKey } from 'jose';
import * as oidc from 'openid-client';
import { HoldfastError, UnavailableError } from '../errors.js';
import { isLoopback } from '../loopback.js';

export interface SignInOptions {
  /** The organization's issuer, such as `https://id.example/o/acme`. */
  issuer: string;
  clientId: string;
  /** Without secret and key the app is a public client, which PKCE protects. */
  clientSecret?: string;
  /** In place of a secret: signs an assertion for each code (RFC 7523). */
  privateKey?: { key: CryptoKey; kid: string };
  /** One that is registered for the app. */
  redirectUri: string;
  /** Default: `openid`, which suffices for customers. */
  scope?: string;
  /** How the app's ID tokens are signed. Default: `RS256`, as for every app for which nothing else was chosen. */
  idTokenAlg?: 'RS256' | 'ES256';
}

/** What the redirect back must match. Keep it in the browser's session, signed or on your server. */
export interface PendingSignIn {
  state: string;
  codeVerifier: string;
  nonce: string;
}

export interface SignedIn {
  /** `iss` and `sub`: together they are the key of an account. */
  issuer: string;
  subject: string;
  /** All claims of the ID token: `credential` of a customer; `email`, `name` and `groups` of staff, by the scope. */
  claims: oidc.IDToken;
  /** The session at Holdfast, which a logout token names. */
  sid: string | undefined;
  /** For `signOutUrl`. */
  idToken: string;
  accessToken: string;
  refreshToken: string | undefined;
}

/** Nobody was signed in. */
export class SignInError extends HoldfastError {
  override readonly name = 'SignInError';

  constructor(
    /**
     * `login_required`: the person left. `access_denied`: the customer has no valid credential, or the person is not
     * assigned to the app. Anything else is a fault of the app, or an attack.
     */
    readonly code: string,
    readonly description: string | undefined,
    options: ErrorOptions,
  ) {
    super(description === undefined ? code : `${code}: ${description}`, options);
  }
}

/** Sign-in with OpenID Connect: authorization code with PKCE, state, nonce and `iss` (RFC 9207). One for each app. */
export class SignIn {
  private discovered: Promise<oidc.Configuration> | undefined;

  constructor(private readonly options: SignInOptions) {}

  /**
   * @param more further parameters of the authorization request, such as `{ prompt: 'select_account' }`
   * @returns where to send the browser, and what to keep in its session
   */
  async begin(more: Record<string, string> = {}): Promise<{ url: URL; pending: PendingSignIn }> {
    const config = await this.discover();
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const pending = { state: oidc.randomState(), nonce: oidc.randomNonce(), codeVerifier };
    const url = oidc.buildAuthorizationUrl(config, {
      ...more,
      redirect_uri: this.options.redirectUri,
      scope: this.options.scope ?? 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state: pending.state,
      nonce: pending.nonce,
    });
    return { url, pending };
  }

  /**
   * Checks the redirect back, and exchanges its code. Remove `pending` from the session before: it is for one attempt.
   *
   * @param query the query string of the callback
   * @throws SignInError, UnavailableError when Holdfast cannot be reached: let the person try again
   */
  async finish(query: string, { state, codeVerifier, nonce }: PendingSignIn): Promise<SignedIn> {
    const config = await this.discover();
    // The registered address, never one built from the Host header of the request.
    const url = new URL(this.options.redirectUri);
    url.search = query;
    try {
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
      });
      const claims = tokens.claims()!;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        claims,
        sid: typeof claims.sid === 'string' ? claims.sid : undefined,
        idToken: tokens.id_token!,
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
      };
    } catch (error) {
      throw errorOf(error);
    }
  }

  /**
   * @param redirectUri one that is registered for after the sign-out
   * @returns where the browser ends its session at Holdfast
   */
  async signOutUrl(idToken: string, redirectUri: string): Promise<URL> {
    return oidc.buildEndSessionUrl(await this.discover(), {
      id_token_hint: idToken,
      post_logout_redirect_uri: redirectUri,
    });
  }

  /** Reads the issuer's metadata once. A failure is not cached. */
  private discover(): Promise<oidc.Configuration> {
    this.discovered ??= discover(this.options).catch((error: unknown) => {
      this.discovered = undefined;
      throw new UnavailableError(`The issuer could not be discovered: ${String(error)}`, { cause: error });
    });
    return this.discovered;
  }
}

function discover(options: SignInOptions): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret, privateKey, idTokenAlg = 'RS256' } = options;
  const metadata = { id_token_signed_response_alg: idTokenAlg };
  const authentication = privateKey
    ? oidc.PrivateKeyJwt(privateKey)
    : clientSecret === undefined
      ? oidc.None()
      : oidc.ClientSecretBasic(clientSecret);
  return oidc.discovery(new URL(issuer), clientId, metadata, authentication, {
    timeout: 10,
    execute: [oidc.enableNonRepudiationChecks, ...(isLoopback(issuer) ? [oidc.allowInsecureRequests] : [])],
  });
}

function errorOf(error: unknown): Error {
  if (error instanceof oidc.AuthorizationResponseError)
    return ['server_error', 'temporarily_unavailable'].includes(error.error)
      ? new UnavailableError(error.error, { cause: error })
      : new SignInError(error.error, error.error_description, { cause: error });
  if (error instanceof oidc.ResponseBodyError && error.status < 500)
    return new SignInError(error.error, error.error_description, { cause: error });
  if (
    error instanceof oidc.ClientError &&
    !['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'].includes(error.code ?? '')
  )
    return new SignInError(error.code ?? error.name, error.message, { cause: error });
  return new UnavailableError(`The sign-in could not be completed: ${String(error)}`, { cause: error });
}
