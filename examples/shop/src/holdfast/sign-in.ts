import * as oidc from 'openid-client';
import { HoldfastUnavailable } from './errors.ts';

/** One OpenID Connect client. It signs in either customers or people of the organization, never both. */
export interface Client {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Which claims the ID token has. `openid` suffices for customers. */
  scope: string;
  redirectUri: string;
  signedOutUri: string;
}

/** Values that the redirect back to the shop must match. They are stored in the browser's session. */
export interface PendingSignIn {
  state: string;
  codeVerifier: string;
  nonce: string;
}

/** Who signed in, as described by the ID token. */
export interface SignedIn {
  /** `iss` and `sub`: together they are the key of an account. */
  issuer: string;
  subject: string;
  /** All claims: `credential` of a customer; `email`, `name` and `groups` of staff, as requested by `scope`. */
  claims: Record<string, unknown>;
  /** Id of the session at Holdfast. A logout token names it when that session is revoked. */
  sid?: string;
  /** Hint for Holdfast at sign-out. */
  idToken: string;
}

export interface SignInRefusal {
  error: 'denied' | 'invalid';
  /** The error code. */
  reason: string;
  /** What the issuer says to the people who run the app. */
  description?: string;
}

/** OpenID Connect sign-in: authorization code flow with PKCE, state, nonce and the `iss` parameter (RFC 9207). */
export class SignIn {
  readonly #client: Client;
  #discovered: Promise<oidc.Configuration> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * @param anotherPasskey ask for a passkey although the browser is signed in at the issuer
   * @returns where to send the browser, and what to keep in its session
   */
  async begin(anotherPasskey: boolean): Promise<{ url: URL; pending: PendingSignIn }> {
    const config = await this.#discover();
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const state = oidc.randomState();
    const nonce = oidc.randomNonce();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: this.#client.redirectUri,
      scope: this.#client.scope,
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(anotherPasskey && { prompt: 'select_account' }),
    });
    return { url, pending: { state, codeVerifier, nonce } };
  }

  /** Checks the response of the issuer and exchanges the code. `query` is the query string of the callback. */
  async finish(
    query: string,
    { state, codeVerifier, nonce }: PendingSignIn,
  ): Promise<{ signedIn: SignedIn } | SignInRefusal> {
    const config = await this.#discover();
    // The registered address, never one built from the request's Host header.
    const url = new URL(this.#client.redirectUri);
    url.search = query;
    try {
      // Checks state, iss (RFC 9207), nonce, audience, times and (enableNonRepudiationChecks) the ID token's signature.
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
      });
      return { signedIn: signedInOf(tokens.id_token!, tokens.claims()!) };
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** The URL at which the browser ends its session at Holdfast. With the ID token no confirmation is needed. */
  async signOutUrl(idToken: string, state: string): Promise<URL> {
    const config = await this.#discover();
    return oidc.buildEndSessionUrl(config, {
      id_token_hint: idToken,
      post_logout_redirect_uri: this.#client.signedOutUri,
      state,
    });
  }

  /** The address of the issuer's public keys. */
  async jwksUrl(): Promise<URL> {
    return new URL((await this.#discover()).serverMetadata().jwks_uri!);
  }

  /** Reads the issuer's endpoints once. A failure is not cached, so that the next sign-in tries again. */
  #discover(): Promise<oidc.Configuration> {
    this.#discovered ??= discover(this.#client).catch((error: unknown) => {
      this.#discovered = undefined;
      throw new HoldfastUnavailable(`discovery: ${String(error)}`);
    });
    return this.#discovered;
  }
}

function discover({ issuer, clientId, clientSecret }: Client): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    timeout: 10,
    execute: [
      oidc.enableNonRepudiationChecks,
      // Plain http for a Holdfast on your own machine only.
      ...(new URL(issuer).hostname === 'localhost' ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

function signedInOf(idToken: string, claims: oidc.IDToken): SignedIn {
  return {
    issuer: claims.iss,
    subject: claims.sub,
    claims: { ...claims },
    idToken,
    ...(typeof claims.sid === 'string' && { sid: claims.sid }),
  };
}

/**
 * `login_required`: the person left without signing in. `access_denied`: the customer has no valid credential, or the
 * person is not assigned to the app. Every other error is caused by the shop, by Holdfast or by an attacker.
 */
function refusalOf(error: unknown): SignInRefusal {
  if (error instanceof oidc.AuthorizationResponseError) {
    if (error.error === 'server_error' || error.error === 'temporarily_unavailable')
      throw new HoldfastUnavailable(error.error);
    return {
      error: error.error === 'access_denied' || error.error === 'login_required' ? 'denied' : 'invalid',
      reason: error.error,
      ...(error.error_description !== undefined && { description: error.error_description }),
    };
  }
  if (error instanceof oidc.ResponseBodyError) {
    if (error.status >= 500) throw new HoldfastUnavailable(error.error);
    return { error: 'invalid', reason: error.error };
  }
  if (
    error instanceof oidc.ClientError &&
    error.code !== 'OAUTH_TIMEOUT' &&
    error.code !== 'OAUTH_RESPONSE_IS_NOT_CONFORM'
  )
    return { error: 'invalid', reason: error.code ?? error.name };
  throw new HoldfastUnavailable(String(error));
}
