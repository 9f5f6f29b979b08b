import { Injectable } from '@nestjs/common';
import { Database, isPermanentError } from '@holdfast/data';
import { idempotencyInProgress } from '@holdfast/outbox';
import { within } from '@holdfast/platform';
import { insertCustomers, type NewCustomer } from './insert-customers.js';

interface Waiting {
  row: NewCustomer;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const batchSize = 100;
/**
 * Statements in flight. Customers that arrive meanwhile share the next one, because each statement is a transaction
 * with a commit of its own. A second one goes only beside one without a result for `slowAfterMs`: it may wait for a
 * request with the same Idempotency-Key in another replica.
 */
const maxInFlight = 2;
const slowAfterMs = 20;

/** Inserts new customers with their first offers: those that arrive together share a statement. */
@Injectable()
export class CustomerInserts {
  private readonly queue: Waiting[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private isRunning = false;

  constructor(private readonly database: Database) {}

  /**
   * Resolves when the rows of the customer are committed.
   * @throws AppError idempotency_in_progress when the key has a response already
   */
  add(row: NewCustomer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.queue.push({ row, resolve, reject });
    void this.run();
    return promise;
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    // Customers of the same turn of the event loop share a statement.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.queue.length > 0) {
      const insert = this.insert(this.queue.splice(0, batchSize)).finally(() => this.inFlight.delete(insert));
      this.inFlight.add(insert);
      await within(slowAfterMs, insert).catch(() => undefined);
      if (this.inFlight.size === maxInFlight) await Promise.race(this.inFlight);
    }
    this.isRunning = false;
  }

  private async insert(batch: readonly Waiting[]): Promise<void> {
    try {
      const inserted = await insertCustomers(
        this.database,
        batch.map(({ row }) => row),
      );
      for (const { row, resolve, reject } of batch)
        if (inserted.has(row.event.id)) resolve();
        else reject(idempotencyInProgress());
    } catch (error) {
      // A transient error (no database, no right to write) would fail each half as well. Any other is that of one row,
      // such as one of an organization that moves to another shard, and must not fail the others.
      if (batch.length === 1 || !isPermanentError(error)) return batch.forEach(({ reject }) => reject(error));
      const middle = batch.length >> 1;
      await Promise.all([this.insert(batch.slice(0, middle)), this.insert(batch.slice(middle))]);
    }
  }
}
