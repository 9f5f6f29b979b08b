import * as oidc from 'openid-client';
import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { sleep } from '../parallel.ts';
import { exchange, type Problem, type Reply } from '../http.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import type { App, Stack } from '../stack.ts';

const redirectUri = 'https://shop.example/callback';

/** What came of one sign-in: it may also have come to nothing, since a process was killed under it. */
type SignedIn = { subject: string } | { refused: string } | undefined;

/** Of several, one holds the passkey: the answer that told which was lost. */
export type Devices = SoftwareAuthenticator[];

/** What customers do in their browsers, again and again until it is done: claim, sign in. */
export class CustomerBrowsers {
  readonly errors: string[] = [];
  signIns = 0;
  readonly #stack: Stack;
  readonly #org: string;
  readonly #config: oidc.Configuration;
  #turn = 0;

  private constructor(stack: Stack, org: string, config: oidc.Configuration) {
    this.#stack = stack;
    this.#org = org;
    this.#config = config;
  }

  /** `skew`: by how many seconds the app's clock is behind that of the stack. */
  static async of(stack: Stack, app: App, skew = 0): Promise<CustomerBrowsers> {
    const issuer = new URL(`${stack.baseUrl}/o/${app.org}`);
    const config = await oidc.discovery(
      issuer,
      app.clientId,
      { [oidc.clockSkew]: skew },
      oidc.ClientSecretBasic(app.clientSecret),
      { execute: [oidc.allowInsecureRequests] },
    );
    return new CustomerBrowsers(stack, app.org, config);
  }

  async claim({ claimUrl }: Offer): Promise<Devices> {
    const token = new URL(claimUrl).hash.slice(1);
    const unanswered: Devices = [];
    for (let tries = 0; tries < 600; tries += 1) {
      const begun = await this.#post<{ options: object }>('/claim/options', { token });
      if (begun?.body.code === 'claim_spent' && unanswered.length > 0) return unanswered;
      if (begun?.status === 200) {
        const device = new SoftwareAuthenticator();
        // The browser that began is the one that completes.
        const cookie = (begun.headers['set-cookie'] ?? '').split(';')[0]!;
        const done = await this.#post(
          '/claim/complete',
          { token, response: device.register(begun.body.options as never, { origin: this.#stack.baseUrl }) },
          { cookie },
        );
        if (done?.status === 200) return [device];
        if (!done || done.status === 503) unanswered.push(device);
        else if (done.body.code !== 'claim_spent' || unanswered.length === 0)
          this.errors.push(`a claim was answered ${done.status} ${done.text}`);
      } else if (begun && begun.status !== 503)
        this.errors.push(`a claim was not begun: ${begun.status} ${begun.text}`);
      await sleep(100 + Math.random() * 200);
    }
    throw new Error('a claim was never answered');
  }

  /** Signs a customer in who must get in. */
  async signIn(subject: string, devices: Devices): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      for (const device of devices) {
        const done = await this.#signInOnce(device);
        if (done && 'subject' in done) {
          this.signIns += 1;
          if (done.subject !== subject) this.errors.push('a customer was signed in as another');
          return;
        }
        if (done && devices.length === 1)
          this.errors.push(`a customer with a live credential was refused: ${done.refused}`);
      }
      await sleep(200);
    }
    throw new Error('a sign-in never came to an end');
  }

  /** Why a sign-in is refused, once there is an answer; undefined when it is not. */
  async signInError(device: SoftwareAuthenticator): Promise<string | undefined> {
    for (let tries = 0; tries < 60; tries += 1) {
      const done = await this.#signInOnce(device);
      if (done) return 'refused' in done ? done.refused : undefined;
      await sleep(200);
    }
    throw new Error('a sign-in never came to an end');
  }

  /** Tries once to sign in a customer who must not get in. */
  async expectDenied(devices: Devices, why: string): Promise<void> {
    for (const device of devices) {
      const done = await this.#signInOnce(device);
      if (done && 'subject' in done) this.errors.push(`a customer was signed in whose credential is ${why}`);
    }
  }

  async #signInOnce(device: SoftwareAuthenticator): Promise<SignedIn> {
    const agent = new UserAgent(this.#stack.baseUrl);
    const verifier = oidc.randomPKCECodeVerifier();
    const checks = { pkceCodeVerifier: verifier, expectedNonce: oidc.randomNonce(), expectedState: oidc.randomState() };
    try {
      const parameters = {
        redirect_uri: redirectUri,
        scope: 'openid',
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        nonce: checks.expectedNonce,
        state: checks.expectedState,
      };
      const { location } = await agent.go(oidc.buildAuthorizationUrl(this.#config, parameters).href);
      const page = location.replace('/sign-in/', '/api/sign-in/');
      const { json } = await agent.post(`${page}/options`);
      const { json: done } = await agent.post(`${page}/complete`, {
        response: device.authenticate(json.options as never, { origin: this.#stack.baseUrl }),
      });
      if (typeof done.refused === 'string') return { refused: done.refused };
      const back = new URL((await agent.go(String(done.redirectTo))).location);
      if (back.searchParams.get('error') === 'access_denied') return { refused: 'access_denied' };
      const tokens = await oidc.authorizationCodeGrant(this.#config, back, checks);
      return { subject: tokens.claims()!.sub };
    } catch {
      return undefined;
    }
  }

  async #post<Body>(
    path: string,
    json: object,
    more: Record<string, string> = {},
  ): Promise<Reply<Body & Problem> | undefined> {
    const gateways = this.#stack.gateways;
    const origin = gateways[(this.#turn += 1) % gateways.length]!;
    const headers = { 'content-type': 'application/json', ...more };
    return exchange<Body & Problem>({
      origin,
      method: 'POST',
      path: `/o/${this.#org}/api${path}`,
      headers,
      timeout: 15_000,
      body: JSON.stringify(json),
    }).catch(() => undefined);
  }
}

export const redirectUris = [redirectUri];
