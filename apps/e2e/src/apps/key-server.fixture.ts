import type { JWK } from 'jose';
import { ReceiverServer } from '../clients/receiver-server.fixture.ts';

interface Served {
  status: number;
  body: string;
  headers: Record<string, string>;
  /** Never responds. */
  hangs: boolean;
}

/** Serves key sets by path, at the one address of this machine that the stack may call. */
export class KeyServer extends ReceiverServer {
  readonly #served = new Map<string, Served>();
  readonly #requests: string[] = [];

  constructor() {
    super(({ url = '' }, response) => {
      this.#requests.push(url);
      const { status, body, headers, hangs } = { ...nothing, ...this.#served.get(url) };
      if (!hangs) response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
  }

  serve(path: string, ...keys: JWK[]): void {
    this.respond(path, { status: 200, body: JSON.stringify({ keys }) });
  }

  respond(path: string, response: Partial<Served>): void {
    this.#served.set(path, { ...nothing, ...response });
  }

  /** How often this path was requested. */
  requests(path: string): number {
    return this.#requests.filter((url) => url === path).length;
  }
}

const nothing: Served = { status: 404, body: '{}', headers: {}, hangs: false };
