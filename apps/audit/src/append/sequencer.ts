import { isNativeError } from 'node:util/types';
import { Injectable } from '@nestjs/common';
import { isPermanentError } from '@holdfast/data';
import { auditRecordBytes, Batcher, halvesOf, unavailable } from '@holdfast/platform';
import { AuditLog } from './audit-log.js';
import { DamagedLog } from './log-head.js';
import type { AppendItem } from './plan.js';

interface Queued {
  item: AppendItem;
  bytes: number;
  done: (error?: unknown) => void;
}

/** An item that the log does not accept, although the database accepts writes. */
export interface Rejected<Item extends AppendItem = AppendItem> {
  item: Item;
  error: Error;
}

/** The queue grows this long only when the database stands still. Callers then get 503 and retry. */
const maxQueued = 20_000;

/**
 * One queue in front of the log. All items that arrive while a batch commits form the next batch, so that one commit
 * serves as many as possible and no caller waits for a batch to fill.
 */
@Injectable()
export class Sequencer {
  private readonly batcher = new Batcher<Queued>((batch) => this.write(batch), {
    maxItems: 500,
    // Its statement is in the memory of both sides.
    maxBytes: 4_000_000,
    bytesOf: ({ bytes }) => bytes,
  });

  constructor(private readonly log: AuditLog) {}

  /** Resolves when all items are appended. When one is rejected, others may be appended all the same. */
  async append(items: readonly AppendItem[]): Promise<void> {
    const [rejected] = await this.tryAppend(items);
    if (rejected) throw rejected.error;
  }

  /**
   * Appends all items except those that it returns as rejected.
   * @throws when the database accepts no writes; some items may be appended all the same
   */
  async tryAppend<Item extends AppendItem>(items: readonly Item[]): Promise<Rejected<Item>[]> {
    if (this.batcher.waiting + items.length > maxQueued)
      throw unavailable('the audit log cannot keep up', 1, { dependency: 'log', cause: 'overloaded' });
    const attempts = items.map(
      (item) =>
        new Promise<Rejected<Item>[]>((resolve) => {
          const done = (error?: unknown) => resolve(error === undefined ? [] : [{ item, error: asError(error) }]);
          this.batcher.add({ item, bytes: item.record ? auditRecordBytes(item.record) : 0, done });
        }),
    );
    const rejected = (await Promise.all(attempts)).flat();
    const transient = rejected.find(({ error }) => !isPermanentError(error));
    if (transient) throw transient.error;
    return rejected;
  }

  private async write(batch: Queued[]): Promise<void> {
    try {
      await this.log.append(batch.map((queued) => queued.item));
      batch.forEach((queued) => queued.done());
    } catch (error) {
      // A transient error (no database, no right to write) would fail each half as well.
      const batches = isPermanentError(error) ? halves(batch, error) : [batch];
      if (batches.length === 1) batch.forEach((queued) => queued.done(error));
      else for (const half of batches) await this.write(half);
    }
  }
}

/**
 * A damaged log must not fail the logs of other organizations, nor one bad record the other records of its log: the
 * batch is halved until the rejected items are found.
 */
function halves(batch: Queued[], error: unknown): Queued[][] {
  const parts = halvesOf(batch, ({ item }) => item.org);
  const isOneLog = batch.every(({ item }) => item.org === batch[0]!.item.org);
  return isOneLog && error instanceof DamagedLog ? [batch] : parts;
}

function asError(thrown: unknown): Error {
  return isNativeError(thrown) ? thrown : new Error(String(thrown));
}
