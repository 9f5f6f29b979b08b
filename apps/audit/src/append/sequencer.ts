import { Injectable } from '@nestjs/common';
import { isFaultOfData } from '@holdfast/data';
import { unavailable } from '@holdfast/platform';
import { Log } from './audit-log.js';
import { DamagedLog } from './log-head.js';
import type { Item } from './select.js';

interface Waiting {
  item: Item;
  done: (error?: unknown) => void;
}

/** What its log does not take, though the database writes. */
export interface Refused<Of extends Item = Item> {
  item: Of;
  fault: Error;
}

const batchSize = 500;
/** More than this is waiting only when the database stands still; callers are then told to come back. */
const mostWaiting = 20_000;

/**
 * One line in front of the log: all that comes while a batch commits makes up the next one, so that a commit is shared
 * by as many as there are, and nobody waits for a batch to fill.
 */
@Injectable()
export class Sequencer {
  private queue: Waiting[] = [];
  private running = false;

  constructor(private readonly log: Log) {}

  /**
   * Resolves when all items have their places; rejects when one could not be given its place, the others may have
   * theirs.
   */
  async append(items: readonly Item[]): Promise<void> {
    const [refused] = await this.place(items);
    if (refused) throw refused.fault;
  }

  /**
   * Gives all items their places but those that it returns. @throws when nothing can be written; some may have their
   * places
   */
  async place<Of extends Item>(items: readonly Of[]): Promise<Refused<Of>[]> {
    if (this.queue.length + items.length > mostWaiting)
      throw unavailable('the audit log cannot keep up', 1, { dependency: 'log', cause: 'overloaded' });
    const tried = items.map(
      (item) =>
        new Promise<Refused<Of>[]>((resolve) => {
          this.queue.push({
            item,
            done: (error) => resolve(error === undefined ? [] : [{ item, fault: asError(error) }]),
          });
        }),
    );
    void this.run();
    const refused = (await Promise.all(tried)).flat();
    const away = refused.find(({ fault }) => !isFaultOfData(fault));
    if (away) throw away.fault;
    return refused;
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    // What arrived in the same turn of the event loop goes together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) await this.write(this.queue.splice(0, batchSize));
    this.running = false;
  }

  private async write(batch: Waiting[]): Promise<void> {
    try {
      await this.log.append(batch.map((w) => w.item));
      batch.forEach((w) => w.done());
    } catch (error) {
      // Without a database, or the right to write, none fares better alone.
      const parts = isFaultOfData(error) ? apart(batch, error) : [batch];
      if (parts.length === 1) batch.forEach((w) => w.done(error));
      else for (const part of parts) await this.write(part);
    }
  }
}

/**
 * In halves: a damaged log must not take those of other organizations with it, nor one bad record the others of its
 * log.
 */
function apart(batch: Waiting[], error: unknown): Waiting[][] {
  const logs = [...Map.groupBy(batch, ({ item }) => item.org).values()];
  const parts = logs.length > 1 ? logs : error instanceof DamagedLog ? [batch] : batch.map((one) => [one]);
  if (parts.length === 1) return parts;
  const middle = parts.length >> 1;
  return [parts.slice(0, middle).flat(), parts.slice(middle).flat()];
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
