import { createServer, type Server } from 'node:http';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import { receiverOrigin } from '../config.ts';

/**
 * Where apps of a test are told of ended sessions: the one address on this machine that the stack under test may call.
 */
export class LogoutReceiver {
  readonly #received: { path: string; token: string }[] = [];
  readonly #server: Server;
  /** What a path answers instead of 200. */
  readonly answers = new Map<string, number>();

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const path = request.url ?? '';
        this.#received.push({ path, token: new URLSearchParams(body).get('logout_token') ?? '' });
        response.writeHead(this.answers.get(path) ?? 200).end();
      });
    });
  }

  async open(): Promise<void> {
    const { port } = new URL(receiverOrigin());
    // "localhost" is either address.
    await new Promise<void>((resolve, reject) =>
      this.#server.once('error', reject).listen({ port: Number(port), host: 'localhost' }, resolve),
    );
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  urlOf(path: string): string {
    return receiverOrigin() + path;
  }

  /** How often this path was called, whatever it answered. */
  calls(path: string): number {
    return this.#received.filter((one) => one.path === path).length;
  }

  /** The claims of what this path was told, each verified by the issuer's published keys. */
  claims(path: string, issuer: string, audience: string): Promise<JWTPayload[]> {
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
    const mine = this.#received.filter((one) => one.path === path);
    return Promise.all(
      mine.map(
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
