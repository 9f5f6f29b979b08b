import { isFaultOfData } from '@holdfast/data';
import { unavailable } from '@holdfast/kit';
import { Injectable } from '@nestjs/common';
import type { Item } from './choose.js';
import { Log } from './log.js';

interface Waiting {
  item: Item;
  done: (error?: unknown) => void;
}

const batchSize = 500;
/** More than this is waiting only when the database stands still; callers are then told to come back. */
const mostWaiting = 20_000;

/**
 * One line in front of the log: all that comes while a batch commits makes up the next one, so that a commit is shared by
 * as many as there are, and nobody waits for a batch to fill.
 */
@Injectable()
export class Sequencer {
  private queue: Waiting[] = [];
  private running = false;

  constructor(private readonly log: Log) {}

  /** Resolves when all items have their places; rejects when one could not be given its place, the others may have theirs. */
  async append(items: readonly Item[]): Promise<void> {
    if (this.queue.length + items.length > mostWaiting) throw unavailable('the audit log cannot keep up');
    const places = items.map((item) => new Promise<void>((resolve, reject) => {
      this.queue.push({ item, done: (error) => (error === undefined ? resolve() : reject(asError(error))) });
    }));
    void this.run();
    await Promise.all(places);
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    // What arrived in the same turn of the event loop goes together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) await this.place(this.queue.splice(0, batchSize));
    this.running = false;
  }

  private async place(batch: Waiting[]): Promise<void> {
    try {
      await this.log.append(batch.map((w) => w.item));
      batch.forEach((w) => w.done());
    } catch (error) {
      // One bad record must not take the others with it; without a database, or the right to write, none fares better alone.
      if (batch.length === 1 || !isFaultOfData(error)) batch.forEach((w) => w.done(error));
      else for (const one of batch) await this.place([one]);
    }
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
