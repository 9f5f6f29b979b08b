import * as oidc from 'openid-client';
import { HoldfastAway } from './trouble.ts';

interface Client {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  signedOutUri: string;
}

/**
 * What must still be known when the customer comes back, kept in their session under the `state` that travels along.
 */
export interface Begun {
  codeVerifier: string;
  nonce: string;
}

/** The customer, as the ID token names them. */
export interface SignedIn {
  /** These two together are the key of the account. */
  issuer: string;
  subject: string;
  /** In place of e-mail and name. Its document_number changes on every renewal. */
  credential: Record<string, unknown>;
  acr?: string;
  amr?: string[];
  authTime?: number;
  /** Of the session at Holdfast: by it we are told when that ends. */
  sid?: string;
  /** Shown to Holdfast at sign-out. */
  idToken: string;
}

export type Outcome = { signedIn: SignedIn } | { refused: 'not_allowed' | 'not_valid'; reason: string };

/** Sign-in by OpenID Connect: authorization code with PKCE, state, nonce and the issuer's name in the answer. */
export class SignIn {
  readonly #client: Client;
  #discovered: Promise<oidc.Configuration> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * @returns where to send the browser, and what to remember. `chooseAnew` asks for a passkey though somebody is signed
   * in.
   */
  async begin(chooseAnew: boolean): Promise<{ url: URL; state: string; begun: Begun }> {
    const config = await this.#discover();
    const codeVerifier = oidc.randomPKCECodeVerifier();
    const state = oidc.randomState();
    const nonce = oidc.randomNonce();
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: this.#client.redirectUri,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(chooseAnew && { prompt: 'select_account' }),
    });
    return { url, state, begun: { codeVerifier, nonce } };
  }

  /** Checks all that came back and exchanges the code. `query` is that of the callback. */
  async finish(query: URLSearchParams, state: string, { codeVerifier, nonce }: Begun): Promise<Outcome> {
    const config = await this.#discover();
    // Our registered address, not what the request says of itself.
    const url = new URL(this.#client.redirectUri);
    url.search = query.toString();
    try {
      // Checks state, iss (RFC 9207), nonce, audience, times and, as we asked for it, the signature of the ID token.
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
      });
      return { signedIn: signedInBy(tokens.id_token!, tokens.claims()!) };
    } catch (error) {
      return refusalBy(error);
    }
  }

  /** Where a browser goes to be signed out of Holdfast too. With the ID token nobody is asked "are you sure?". */
  async signOutUrl(idToken: string, state: string): Promise<URL> {
    const config = await this.#discover();
    return oidc.buildEndSessionUrl(config, {
      id_token_hint: idToken,
      post_logout_redirect_uri: this.#client.signedOutUri,
      state,
    });
  }

  /** Where the issuer's public keys are. */
  async keysUrl(): Promise<URL> {
    return new URL((await this.#discover()).serverMetadata().jwks_uri!);
  }

  /** The issuer tells its own addresses. A failure is forgotten, so that the next customer tries anew. */
  #discover(): Promise<oidc.Configuration> {
    this.#discovered ??= discover(this.#client).catch((error: unknown) => {
      this.#discovered = undefined;
      throw new HoldfastAway(`discovery: ${String(error)}`);
    });
    return this.#discovered;
  }
}

function discover({ issuer, clientId, clientSecret }: Client): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    timeout: 10,
    execute: [
      oidc.enableNonRepudiationChecks,
      // For a Holdfast on your own machine; never against another one.
      ...(new URL(issuer).hostname === 'localhost' ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

function signedInBy(idToken: string, claims: oidc.IDToken): SignedIn {
  return {
    issuer: claims.iss,
    subject: claims.sub,
    credential: (claims.credential ?? {}) as Record<string, unknown>,
    idToken,
    ...(typeof claims.sid === 'string' && { sid: claims.sid }),
    ...(typeof claims.acr === 'string' && { acr: claims.acr }),
    ...(Array.isArray(claims.amr) && { amr: claims.amr.map(String) }),
    ...(typeof claims.auth_time === 'number' && { authTime: claims.auth_time }),
  };
}

/**
 * `login_required` is a customer who left without a passkey, `access_denied` one without a valid credential. All else
 * is not the customer's doing.
 */
function refusalBy(error: unknown): Outcome {
  if (error instanceof oidc.AuthorizationResponseError) {
    if (error.error === 'server_error' || error.error === 'temporarily_unavailable')
      throw new HoldfastAway(error.error);
    return {
      refused: error.error === 'access_denied' || error.error === 'login_required' ? 'not_allowed' : 'not_valid',
      reason: error.error,
    };
  }
  if (error instanceof oidc.ResponseBodyError) {
    if (error.status >= 500) throw new HoldfastAway(error.error);
    return { refused: 'not_valid', reason: error.error };
  }
  if (
    error instanceof oidc.ClientError &&
    error.code !== 'OAUTH_TIMEOUT' &&
    error.code !== 'OAUTH_RESPONSE_IS_NOT_CONFORM'
  )
    return { refused: 'not_valid', reason: error.code ?? error.name };
  throw new HoldfastAway(String(error));
}
