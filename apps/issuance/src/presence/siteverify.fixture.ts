import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A stub of Cloudflare's siteverify: a token is valid once, and a repeat with the same `idempotency_key` gets the first
 * response again. Tokens are `<word>.<anything>`; the word decides on the response.
 */
export class Siteverify {
  readonly secret = 'ts-secret-of-acme';
  requests = 0;
  private readonly responses = new Map<string, string>();
  private readonly seen = new Set<string>();
  private server!: Server;

  static async start(): Promise<Siteverify> {
    const stub = new Siteverify();
    stub.server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        stub.requests += 1;
        const { status = 200, text, delayMs = 0 } = stub.respond(JSON.parse(body) as Record<string, string>);
        setTimeout(() => response.writeHead(status, { 'content-type': 'application/json' }).end(text), delayMs).unref();
      });
    });
    await new Promise<void>((resolve) => stub.server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private respond({ secret, response = '', idempotency_key: key }: Record<string, string>): {
    status?: number;
    text: string;
    delayMs?: number;
  } {
    const word = response.split('.')[0]!;
    if (word === 'down') return { status: 500, text: '{"success":true}' };
    if (word === 'redirect') return { status: 307, text: '' };
    if (word === 'broken') return { text: '{"success":tru' };
    if (word === 'html') return { text: '<html>Just a moment</html>' };
    const earlier = key && this.responses.get(`${key} ${response}`);
    if (earlier) return { text: earlier };
    const text = JSON.stringify(this.verdict(secret, word, response));
    if (key) this.responses.set(`${key} ${response}`, text);
    return { text, ...(word === 'slow' && { delayMs: 10_000 }) };
  }

  private verdict(secret: string | undefined, word: string, token: string): object {
    const no = (code: string) => ({ success: false, 'error-codes': [code], messages: [] });
    if (secret !== this.secret) return no(secret ? 'invalid-input-secret' : 'missing-input-secret');
    if (['invalid-input-response', 'timeout-or-duplicate', 'bad-request', 'internal-error'].includes(word))
      return no(word);
    if (this.seen.has(token)) return no('timeout-or-duplicate');
    this.seen.add(token);
    const age = word === 'old' ? 301_000 : 1000;
    return {
      success: true,
      'error-codes': [],
      challenge_ts: new Date(Date.now() - age).toISOString(),
      cdata: '',
      hostname: word === 'elsewhere' ? 'evil.example' : 'shop.example',
      action: word === 'login' ? 'login' : 'offer',
    };
  }
}
