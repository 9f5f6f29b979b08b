import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { updateApp } from '@holdfast/contracts';
import { randomSequence } from '@holdfast/testing';
import { LocalServer } from '../clients/local-server.fixture.ts';
import type { App, Stack } from '../stack/stack.ts';
import type { AcknowledgedCustomer } from './customer.ts';

/** One of so many tokens is refused, and one is received while its response is lost. */
const tokensPerFailure = 10;

/** Receives the logout tokens of an app during the whole load, and refuses some. */
export class LogoutTokens extends LocalServer {
  /** By `sid`. */
  readonly #received = new Map<string, string>();
  readonly #random;
  #app: App | undefined;

  constructor(seed: number) {
    super((request, response) => void this.#take(request, response).catch(() => undefined));
    this.#random = randomSequence(seed);
  }

  async registerAt(stack: Stack, app: App): Promise<void> {
    this.#app = app;
    const { clientId, org } = app;
    await stack.request(updateApp, { clientId, backchannelLogoutUri: `${this.origin}/logout` }, org);
  }

  describe(): string {
    return `  logout tokens: ${this.#received.size}`;
  }

  /** @returns which sessions ended without a logout token, and which have one though they did not end */
  async check(stack: Stack, customers: readonly AcknowledgedCustomer[]): Promise<string[]> {
    const sessions = customers.flatMap(({ subject, sessions: all }) => all.map((one) => ({ ...one, subject })));
    const missing = sessions.filter(({ sid, ended }) => ended && !this.#received.has(sid));
    const early = sessions.filter(({ sid, ended }) => !ended && this.#received.has(sid));
    return [
      ...(missing.length > 0 ? [`the app has no logout token of ${missing.length} sessions that ended`] : []),
      ...early.map(({ subject }) => `the app has a logout token of a session of ${subject} that has not ended`),
      ...(await this.#verify(stack)),
    ];
  }

  async #verify({ baseUrl }: Stack): Promise<string[]> {
    const { clientId: audience, org } = this.#app!;
    const issuer = `${baseUrl}/o/${org}`;
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
    const errors = await Promise.all(
      [...this.#received.values()].map((token) =>
        // As of when it was sent: a logout token is valid for two minutes.
        jwtVerify(token, keys, { issuer, audience, typ: 'logout+jwt', currentDate: sentAt(token) }).then(
          () => [],
          (error: unknown) => [`a logout token does not verify: ${String(error)}`],
        ),
      ),
    );
    return errors.flat();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const fails = this.#random(tokensPerFailure) === 0;
    if (fails && this.#random(2) === 0) return void response.writeHead(503).end();
    const token = new URLSearchParams(body).get('logout_token') ?? '';
    this.#received.set(String(decodeJwt(token).sid), token);
    if (fails) return void response.destroy();
    response.writeHead(200).end();
  }
}

function sentAt(token: string): Date {
  return new Date(decodeJwt(token).iat! * 1000);
}
