import { setTimeout as sleep } from 'node:timers/promises';
import * as oidc from 'openid-client';
import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { exchange, type Problem, type Reply } from '../clients/http.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import type { App, Stack } from '../stack/stack.ts';

const redirectUri = 'https://shop.example/callback';

/** The result of one sign-in; undefined when a process was killed meanwhile. */
type SignInResult = { subject: string; sid: string } | { refused: string } | undefined;

/** One of them has the passkey. There are several when the response that acknowledged the claim was lost. */
export type Devices = SoftwareAuthenticator[];

/** Claims and signs in as customers do in their browsers, repeating each step until it succeeds. */
export class CustomerBrowsers {
  readonly errors: string[] = [];
  signIns = 0;
  readonly #stack: Stack;
  readonly #org: string;
  readonly #config: oidc.Configuration;
  #posts = 0;

  private constructor(stack: Stack, org: string, config: oidc.Configuration) {
    this.#stack = stack;
    this.#org = org;
    this.#config = config;
  }

  /** `clockSkew`: seconds by which the app's clock is behind that of the stack. */
  static async of(stack: Stack, app: App, clockSkew = 0): Promise<CustomerBrowsers> {
    const issuer = new URL(`${stack.baseUrl}/o/${app.org}`);
    const config = await oidc.discovery(
      issuer,
      app.clientId,
      { [oidc.clockSkew]: clockSkew },
      oidc.ClientSecretBasic(app.clientSecret),
      { execute: [oidc.allowInsecureRequests] },
    );
    return new CustomerBrowsers(stack, app.org, config);
  }

  async claim({ claimUrl }: Offer): Promise<Devices> {
    const token = new URL(claimUrl).hash.slice(1);
    const unacknowledged: Devices = [];
    let last = '';
    for (let tries = 0; tries < 600; tries += 1) {
      const options = await this.#post<{ options: object }>('/claim/options', { token });
      last = options?.text ?? 'no response';
      if (options?.body.code === 'claim_spent' && unacknowledged.length > 0) return unacknowledged;
      if (options?.status === 200) {
        const device = new SoftwareAuthenticator();
        // Only the browser that began a claim can complete it.
        const cookie = (options.headers['set-cookie'] ?? '').split(';')[0]!;
        const completed = await this.#post(
          '/claim/complete',
          { token, response: device.register(options.body.options as never, { origin: this.#stack.baseUrl }) },
          { cookie },
        );
        if (completed?.status === 200) return [device];
        if (!completed || completed.status === 503) unacknowledged.push(device);
        else if (completed.body.code !== 'claim_spent' || unacknowledged.length === 0)
          this.errors.push(`completing a claim returned ${completed.status} ${completed.text}`);
      } else if (options && options.status !== 503)
        this.errors.push(`beginning a claim returned ${options.status} ${options.text}`);
      await sleep(100 + Math.random() * 200);
    }
    throw new Error(`a claim never succeeded; last: ${last}`);
  }

  /** Signs in a customer who has a live credential. @returns `sid` of the session at the app */
  async signIn(subject: string, devices: Devices): Promise<string> {
    for (let tries = 0; tries < 600; tries += 1) {
      for (const device of devices) {
        const result = await this.#signInOnce(device);
        if (result && 'subject' in result) {
          this.signIns += 1;
          if (result.subject !== subject) this.errors.push('a customer was signed in as another one');
          return result.sid;
        }
        if (result && devices.length === 1)
          this.errors.push(`a customer with a live credential was refused: ${result.refused}`);
      }
      await sleep(200);
    }
    throw new Error('a sign-in never succeeded');
  }

  /** The reason why a sign-in is refused; undefined when it succeeds. */
  async signInError(device: SoftwareAuthenticator): Promise<string | undefined> {
    for (let tries = 0; tries < 60; tries += 1) {
      const result = await this.#signInOnce(device);
      if (result) return 'refused' in result ? result.refused : undefined;
      await sleep(200);
    }
    throw new Error('a sign-in had no result');
  }

  /** Tries once to sign in a customer whose credential is not live. */
  async expectDenied(devices: Devices, status: string): Promise<void> {
    for (const device of devices) {
      const result = await this.#signInOnce(device);
      if (result && 'subject' in result) this.errors.push(`a customer was signed in whose credential is ${status}`);
    }
  }

  async #signInOnce(device: SoftwareAuthenticator): Promise<SignInResult> {
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
      const { json: completed } = await agent.post(`${page}/complete`, {
        response: device.authenticate(json.options as never, { origin: this.#stack.baseUrl }),
      });
      if (typeof completed.refused === 'string') return { refused: completed.refused };
      const callback = new URL((await agent.go(String(completed.redirectTo))).location);
      if (callback.searchParams.get('error') === 'access_denied') return { refused: 'access_denied' };
      const tokens = await oidc.authorizationCodeGrant(this.#config, callback, checks);
      const { sub, sid } = tokens.claims()!;
      return { subject: sub, sid: sid as string };
    } catch {
      return undefined;
    }
  }

  async #post<Body>(
    path: string,
    json: object,
    extraHeaders: Record<string, string> = {},
  ): Promise<Reply<Body & Problem> | undefined> {
    const gateways = this.#stack.gateways;
    const origin = gateways[(this.#posts += 1) % gateways.length]!;
    const headers = { 'content-type': 'application/json', ...extraHeaders };
    return exchange<Body & Problem>({
      origin,
      method: 'POST',
      path: `/o/${this.#org}/api${path}`,
      headers,
      timeoutMs: 15_000,
      body: JSON.stringify(json),
    }).catch(() => undefined);
  }
}

export const redirectUris = [redirectUri];
