import { openCheckpoint, parseVerifierKey, verifyConsistency, type Checkpoint } from '@holdfast/tlog';
import type { Client } from '../client.ts';
import { eventually, inParallel, sleep } from '../parallel.ts';
import { randomSequence } from '../random.ts';

/**
 * Takes checkpoints of the log all the time, as a witness does, and asks afterwards whether they are all of one log.
 */
export class CheckpointFollower {
  /** As they were given out, the first of each size. */
  readonly taken = new Map<number, string>();
  readonly errors: string[] = [];
  readonly #client: Client;
  #latest = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async follow(over: () => boolean): Promise<void> {
    while (!over()) {
      await this.#take().catch(() => this.#client.clearToken());
      await sleep(300);
    }
  }

  async #take(): Promise<void> {
    const { status, text } = await this.#get('/checkpoint');
    if (status !== 200) return;
    const size = Number(text.split('\n')[1]);
    if (size < this.#latest)
      this.errors.push(`a checkpoint of ${size} entries was given out after one of ${this.#latest}`);
    this.#latest = Math.max(size, this.#latest);
    const before = this.taken.get(size);
    if (before === undefined) this.taken.set(size, text);
    else if (before.split('\n')[2] !== text.split('\n')[2])
      this.errors.push(`two checkpoints of ${size} entries have different roots: the log was forked`);
  }

  /** What does not fit together: each with the next, and `more` pairs at random. */
  async judge(more: number, seed: number): Promise<string[]> {
    const keys = await this.#keys();
    const all = [...this.taken.values()].map((note) => openCheckpoint(note, keys)).sort((a, b) => a.size - b.size);
    const random = randomSequence(seed);
    const pairs: [Checkpoint, Checkpoint][] = all.slice(1).map((later, i) => [all[i]!, later]);
    for (let n = 0; n < more && all.length > 1; n += 1) {
      const later = 1 + random(all.length - 1);
      pairs.push([all[random(later)]!, all[later]!]);
    }
    const wrong = await inParallel(pairs, 4, async ([from, to]) => {
      const hashes = await eventually(() => this.#proof(from.size, to.size), 20_000, 'a consistency proof');
      const holds = verifyConsistency({
        from: from.size,
        to: to.size,
        fromRoot: from.root,
        toRoot: to.root,
        proof: hashes.map((h) => Buffer.from(h, 'base64')),
      });
      return holds ? [] : [`the log of ${to.size} entries does not continue the one of ${from.size}`];
    });
    return [...this.errors, ...wrong.flat()];
  }

  async #keys() {
    const { status, text } = await this.#get('/keys');
    if (status !== 200) throw new Error(`the keys of the log: ${status} ${text}`);
    return (JSON.parse(text) as { keys: string[] }).keys.map(parseVerifierKey);
  }

  async #proof(from: number, to: number): Promise<string[] | undefined> {
    const { status, text } = await this.#get(`/consistency?from=${from}&to=${to}`);
    return status === 200 ? (JSON.parse(text) as { hashes: string[] }).hashes : undefined;
  }

  #get(path: string) {
    return this.#client.call('GET', `${this.#client.api}/admin/audit${path}`);
  }
}
