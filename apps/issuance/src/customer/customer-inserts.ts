import { Injectable } from '@nestjs/common';
import { Database, isPermanentError } from '@holdfast/data';
import { idempotencyInProgress } from '@holdfast/outbox';
import { Batcher, halvesOf } from '@holdfast/platform';
import { insertCustomers, type NewCustomer } from './insert-customers.js';

interface Waiting {
  row: NewCustomer;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Inserts new customers with their first offers: those that arrive together share a statement. */
@Injectable()
export class CustomerInserts {
  /**
   * Each statement is a transaction with a commit of its own. One without a result for so long may wait for a request
   * with the same Idempotency-Key in another replica.
   */
  private readonly batcher = new Batcher<Waiting>((batch) => this.insert(batch), {
    maxItems: 100,
    maxInFlight: 2,
    slowAfterMs: 20,
  });

  constructor(private readonly database: Database) {}

  /**
   * Resolves when the rows of the customer are committed.
   * @throws AppError idempotency_in_progress when the key has a response already
   */
  add(row: NewCustomer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.batcher.add({ row, resolve, reject });
    return promise;
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
      await Promise.all(halvesOf(batch).map((half) => this.insert(half)));
    }
  }
}
