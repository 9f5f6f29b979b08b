import { isNativeError } from 'node:util/types';
import { Injectable } from '@nestjs/common';
import { isPermanentError } from '@holdfast/data';
import { auditRecordBytes, unavailable } from '@holdfast/platform';
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

const batchSize = 500;
/** Of the records of a batch, unless it is a single one: its statement is in the memory of both sides. */
const maxBatchBytes = 4_000_000;
/** The queue grows this long only when the database stands still. Callers then get 503 and retry. */
const maxQueued = 20_000;

/**
 * One queue in front of the log. All items that arrive while a batch commits form the next batch, so that one commit
 * serves as many as possible and no caller waits for a batch to fill.
 */
@Injectable()
export class Sequencer {
  private queue: Queued[] = [];
  private running = false;

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
    if (this.queue.length + items.length > maxQueued)
      throw unavailable('the audit log cannot keep up', 1, { dependency: 'log', cause: 'overloaded' });
    const attempts = items.map(
      (item) =>
        new Promise<Rejected<Item>[]>((resolve) => {
          const done = (error?: unknown) => resolve(error === undefined ? [] : [{ item, error: asError(error) }]);
          this.queue.push({ item, bytes: item.record ? auditRecordBytes(item.record) : 0, done });
        }),
    );
    void this.run();
    const rejected = (await Promise.all(attempts)).flat();
    const transient = rejected.find(({ error }) => !isPermanentError(error));
    if (transient) throw transient.error;
    return rejected;
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    // Items of the same turn of the event loop share a batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) await this.write(this.queue.splice(0, this.firstBatchSize()));
    this.running = false;
  }

  private firstBatchSize(): number {
    let bytes = 0;
    const end = this.queue.findIndex(
      (queued, i) => i >= batchSize || ((bytes += queued.bytes) > maxBatchBytes && i > 0),
    );
    return end < 0 ? this.queue.length : end;
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
  const logs = [...Map.groupBy(batch, ({ item }) => item.org).values()];
  const groups = logs.length > 1 ? logs : error instanceof DamagedLog ? [batch] : batch.map((queued) => [queued]);
  if (groups.length === 1) return groups;
  const middle = groups.length >> 1;
  return [groups.slice(0, middle).flat(), groups.slice(middle).flat()];
}

function asError(thrown: unknown): Error {
  return isNativeError(thrown) ? thrown : new Error(String(thrown));
}
