import type { IncomingMessage, ServerResponse } from 'node:http';
import { randomSequence } from '@holdfast/testing';
import { LocalServer } from '../clients/local-server.fixture.ts';

/** One of so many batches is refused, and one is received while its response is lost. */
const batchesPerFailure = 15;
/** A sender that was killed or hung may send again when its lease has ended, and what it held has come later. */
const maxDelayMs = 45_000;

interface Repeat {
  path: string;
  seq: number;
  /** When it had come first, and again, in performance.now(). */
  before: number;
  at: number;
}

/** Receives the log at two paths, as NDJSON and as the bulk API of Elasticsearch, and fails at times. */
export class LogReceiver extends LocalServer {
  /** In the order of their arrival, by path; repeats are left out. */
  readonly seqs = { '/https': [] as number[], '/_bulk': [] as number[] };
  readonly errors: string[] = [];
  /** Times of failures that this receiver has caused. */
  readonly #failures: number[] = [];
  readonly #repeats: Repeat[] = [];
  readonly #seenAt = { '/https': new Map<number, number>(), '/_bulk': new Map<number, number>() };
  readonly #random;

  constructor(seed: number) {
    super((request, response) => void this.#take(request, response).catch(() => undefined));
    this.#random = randomSequence(seed);
  }

  get repeats(): number {
    return this.#repeats.length;
  }

  /** @returns repeats without a failure of the receiver or one of `disturbances` (performance.now()) before them */
  needlessRepeats(disturbances: readonly number[]): string[] {
    const failures = [...this.#failures, ...disturbances];
    return this.#repeats
      .filter(({ before, at }) => !failures.some((time) => time >= before - maxDelayMs && time <= at))
      .map(({ path, seq }) => `${path} received entry ${seq} again without a failure`);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url === '/_bulk' ? '/_bulk' : '/https';
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const failure = this.#random(batchesPerFailure * 2);
    if (failure <= 1) this.#failures.push(performance.now());
    if (failure === 0) return void response.writeHead(503).end();
    const lines = body.trimEnd().split('\n');
    const documents = path === '/_bulk' ? lines.filter((_, i) => i % 2 === 1) : lines;
    for (const text of documents) this.#add(path, JSON.parse(text) as { seq: number });
    if (failure === 1) return void response.destroy();
    const items = documents.map(() => ({ create: { status: 201 } }));
    response.end(JSON.stringify({ errors: false, items }));
  }

  #add(path: '/https' | '/_bulk', { seq }: { seq: number }): void {
    const at = performance.now();
    const before = this.#seenAt[path].get(seq);
    if (before !== undefined) return void this.#repeats.push({ path, seq, before, at });
    const last = this.seqs[path].at(-1) ?? 0;
    if (seq !== last + 1) this.errors.push(`${path} received entry ${seq} after ${last}`);
    this.seqs[path].push(seq);
    this.#seenAt[path].set(seq, at);
  }
}
