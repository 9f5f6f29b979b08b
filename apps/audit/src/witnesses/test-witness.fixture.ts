import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { FormatError, openCheckpoint, verifyConsistency, type Checkpoint, type VerifierKey } from '@holdfast/tlog';
import { cosign, verifierKeyOf } from '@holdfast/tlog/signing';

/** A witness as c2sp.org/tlog-witness describes it, in memory. */
export class TestWitness {
  readonly key: VerifierKey;
  /** The last checkpoint that it has cosigned, by origin. */
  readonly seen = new Map<string, Checkpoint>();
  /** Keys of the logs that it knows. */
  known: VerifierKey[] = [];
  /** Responds so instead, if set. */
  respond?: (response: ServerResponse) => void;
  requests = 0;
  readonly #privateKey;
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  constructor(name: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    this.#privateKey = privateKey;
    this.key = verifierKeyOf(name, publicKey, 'witness');
  }

  async listen(port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const body = await text(request);
    if (request.method !== 'POST' || request.url !== '/add-checkpoint') return void response.writeHead(404).end();
    if (this.respond) return this.respond(response);
    const gap = body.indexOf('\n\n');
    const [oldLine = '', ...proof] = body.slice(0, gap).split('\n');
    const old = Number(/^old (\d+)$/.exec(oldLine)?.[1]);
    const note = body.slice(gap + 2);
    try {
      const checkpoint = openCheckpoint(note, this.known);
      const last = this.seen.get(checkpoint.origin);
      if (old > checkpoint.size) return void response.writeHead(400).end();
      if (old !== (last?.size ?? 0))
        return void response.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${last?.size ?? 0}\n`);
      const continues =
        !last ||
        verifyConsistency({
          from: last.size,
          to: checkpoint.size,
          fromRoot: last.root,
          toRoot: checkpoint.root,
          proof: proof.map((hash) => Buffer.from(hash, 'base64')),
        });
      if (!continues || (!last && proof.length > 0)) return void response.writeHead(422).end();
      this.seen.set(checkpoint.origin, checkpoint);
      response.end(`${cosign(note, this.key, this.#privateKey, new Date())}\n`);
    } catch (error) {
      response.writeHead(error instanceof FormatError ? 403 : 500).end();
    }
  }
}
