import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { htmlPagePolicy } from '@holdfast/platform';

/** The response of a route; a function is called for each request. */
export type Reply = { status?: number; body?: object; headers?: Record<string, string>; hang?: boolean };
type Routes = Record<string, Reply | ((body: Record<string, unknown>) => Reply)>;

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
/** The gateway's policy. A page that needs more would not work behind the gateway. */
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

/** Serves the built pages as the gateway does. Tests set the responses of its JSON routes. */
export class ServiceStub {
  /** Keys are `METHOD /path`, below `/o/acme/api`. */
  routes: Routes = {};
  /** The message to a person at `/message`, as services render one. */
  message = '';
  messagePolicy = htmlPagePolicy();
  /** A PNG image; without one, logos are not found. */
  logo: Buffer | undefined;
  readonly requests: { route: string; body: Record<string, unknown> }[] = [];
  private readonly server: Server = createServer((request, response) => void this.respond(request, response));

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, 'localhost', resolve));
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  count(route: string): number {
    return this.requests.filter((request) => request.route === route).length;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname.startsWith('/o/acme/api/')) return this.api(request, response, pathname.slice('/o/acme/api'.length));
    const page =
      /^\/o\/[^/]+\/(account|claim|invitation|passkey|sign-in)(\/[^/]+)?$/.exec(pathname)?.[1] ??
      /^\/(verify)$/.exec(pathname)?.[1];
    if (pathname === '/message')
      return void response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': this.messagePolicy })
        .end(this.message);
    if (this.logo && pathname.startsWith('/o/acme/logos/'))
      return void response.writeHead(200, { 'content-type': 'image/png' }).end(this.logo);
    // A name without a hash leads to the current file.
    const asset = readdirSync(join(dist, 'assets')).find((file) =>
      [file, file.replace(/-[^-.]+(?=\.)/, '')].some((name) => pathname === `/pages/${name}`),
    );
    if (page)
      return void response
        .writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy':
            page === 'verify' ? policy.replace("connect-src 'self'", "connect-src 'none'") : policy,
          'referrer-policy': 'no-referrer',
        })
        .end(readFileSync(join(dist, `${page}.html`)));
    if (asset)
      return void response
        .writeHead(200, { 'content-type': types[extname(asset)], 'content-security-policy': "default-src 'none'" })
        .end(readFileSync(join(dist, 'assets', asset)));
    response
      .writeHead(pathname === '/there' ? 200 : 404, { 'content-type': 'text/html' })
      .end('<!doctype html><title>There</title><p>There');
  }

  private async api(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
    const route = `${request.method} ${path}`;
    this.requests.push({ route, body });
    const configured = this.routes[route];
    const reply = typeof configured === 'function' ? configured(body) : configured;
    if (reply?.hang) return;
    if (!reply) return void response.destroy();
    const type = (reply.status ?? 200) < 400 ? 'application/json' : 'application/problem+json';
    response
      .writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers })
      .end(JSON.stringify(reply.body ?? {}));
  }
}

export const problem = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  body: { code, title: code, status },
  headers,
});

const challenge = () => randomBytes(32).toString('base64url');

export const creationOptions = (excludeCredentials: object[] = []) => ({
  challenge: challenge(),
  rp: { id: 'localhost', name: 'Acme' },
  user: { id: randomBytes(32).toString('base64url'), name: 'Acme customer · 7F3K', displayName: '' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  timeout: 3000,
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
  excludeCredentials,
});

export const requestOptions = (timeout = 3000) => ({
  challenge: challenge(),
  rpId: 'localhost',
  timeout,
  userVerification: 'required',
});
