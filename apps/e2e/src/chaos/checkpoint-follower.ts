import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, randomSequence } from '@holdfast/testing';
import { openCheckpoint, parseVerifierKey, verifyConsistency, type Checkpoint } from '@holdfast/tlog';
import type { Client } from '../clients/client.ts';
import { inParallel } from '../stack/parallel.ts';

/**
 * Fetches checkpoints of the log all the time, as a witness does, and verifies afterwards that they are all of one log.
 */
export class CheckpointFollower {
  /** The first checkpoint of each size, as it was received. */
  readonly checkpoints = new Map<number, string>();
  readonly errors: string[] = [];
  readonly #client: Client;
  #latestSize = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async runUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#fetchCheckpoint().catch(() => this.#client.clearToken());
      await sleep(300);
    }
  }

  async #fetchCheckpoint(): Promise<void> {
    const { status, text } = await this.#get('/checkpoint');
    if (status !== 200) return;
    const size = Number(text.split('\n')[1]);
    if (size < this.#latestSize)
      this.errors.push(`a checkpoint of ${size} entries was served after one of ${this.#latestSize}`);
    this.#latestSize = Math.max(size, this.#latestSize);
    const before = this.checkpoints.get(size);
    if (before === undefined) this.checkpoints.set(size, text);
    else if (before.split('\n')[2] !== text.split('\n')[2])
      this.errors.push(`two checkpoints of ${size} entries have different roots: the log was forked`);
  }

  /** Verifies the consistency of each checkpoint with the next one, and of `more` random pairs. @returns all errors */
  async check(more: number, seed: number): Promise<string[]> {
    const keys = await this.#keys();
    const all = [...this.checkpoints.values()]
      .map((note) => openCheckpoint(note, keys))
      .sort((a, b) => a.size - b.size);
    const random = randomSequence(seed);
    const pairs: [Checkpoint, Checkpoint][] = all.slice(1).map((later, i) => [all[i]!, later]);
    for (let n = 0; n < more && all.length > 1; n += 1) {
      const later = 1 + random(all.length - 1);
      pairs.push([all[random(later)]!, all[later]!]);
    }
    const errors = await inParallel(pairs, 4, async ([from, to]) => {
      const hashes = await eventually(() => this.#proof(from.size, to.size), 'a consistency proof');
      const isConsistent = verifyConsistency({
        from: from.size,
        to: to.size,
        fromRoot: from.root,
        toRoot: to.root,
        proof: hashes.map((h) => Buffer.from(h, 'base64')),
      });
      return isConsistent ? [] : [`the log of ${to.size} entries does not continue the one of ${from.size}`];
    });
    return [...this.errors, ...errors.flat()];
  }

  async #keys() {
    const { status, text } = await this.#get('/keys');
    if (status !== 200) throw new Error(`the keys of the log: ${status} ${text}`);
    return (JSON.parse(text) as { keys: string[] }).keys.map(parseVerifierKey);
  }

  async #proof(from: number, to: number): Promise<string[] | false> {
    const { status, text } = await this.#get(`/consistency?from=${from}&to=${to}`);
    return status === 200 && (JSON.parse(text) as { hashes: string[] }).hashes;
  }

  #get(path: string) {
    return this.#client.call('GET', `${this.#client.api}/admin/audit${path}`);
  }
}
