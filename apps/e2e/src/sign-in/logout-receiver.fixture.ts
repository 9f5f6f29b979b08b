import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import { ReceiverServer } from '../clients/receiver-server.fixture.ts';

/** Receives logout tokens for the apps of a test, at the one address of this machine that the stack may call. */
export class LogoutReceiver extends ReceiverServer {
  readonly #received: { path: string; token: string }[] = [];
  /** The status of a path, instead of 200. */
  readonly statuses = new Map<string, number>();

  constructor() {
    super((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const path = request.url ?? '';
        this.#received.push({ path, token: new URLSearchParams(body).get('logout_token') ?? '' });
        response.writeHead(this.statuses.get(path) ?? 200).end();
      });
    });
  }

  /** How often this path was called. */
  calls(path: string): number {
    return this.#received.filter((one) => one.path === path).length;
  }

  /** The claims of the logout tokens that this path received, each verified with the issuer's published keys. */
  claims(path: string, issuer: string, audience: string): Promise<JWTPayload[]> {
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
    const received = this.#received.filter((one) => one.path === path);
    return Promise.all(
      received.map(
        async ({ token }) =>
          (
            await jwtVerify(token, keys, {
              issuer,
              audience,
              typ: 'logout+jwt',
              maxTokenAge: 120,
              requiredClaims: ['exp', 'jti', 'events'],
            })
          ).payload,
      ),
    );
  }
}
