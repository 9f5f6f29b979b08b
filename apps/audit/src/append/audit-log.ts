import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database, violatedUnique } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { EncryptionKeys, type EncryptionConfig } from '../privacy/key-encryption.js';
import { Partitions } from '../retention/partitions.js';
import { holdAndLookUp } from './load-batch.js';
import { DamagedLog } from './log-head.js';
import { arrange, type Arranged } from './plan.js';
import type { Item } from './select.js';
import { storable } from './storable.js';
import { batchValues, writeBatch } from './write-batch.js';

/** PostgreSQL has no partition for a row. */
const noPartition = '23514';

/** Appends to the logs of organizations: whole batches, each in one transaction. */
@Injectable()
export class Log {
  private readonly logger = new Logger('log');
  private readonly keys: EncryptionKeys;

  constructor(
    private readonly database: Database,
    private readonly partitions: Partitions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: EncryptionConfig,
  ) {
    this.keys = new EncryptionKeys(config);
  }

  /**
   * Gives every item its place, or none of them. Places have no gap: they are given out while the head of the log is
   * held and commit with it. An item that has its place already keeps it.
   * @throws DamagedLog when that of one of their organizations can take nothing
   */
  async append(given: readonly Item[]): Promise<void> {
    const items = given.map(({ record, ...item }) => ({ ...item, ...(record && { record: storable(record) }) }));
    for (let again = false; ; again = true) {
      try {
        const { late } = await this.appendOnce(items);
        for (const { id, request } of late)
          this.logger.warn(
            `the handler's record ${id} of request ${request.id} came after the gateway's was given its place; both stand in the log`,
          );
        return;
      } catch (error) {
        // No other replica can have been faster: it would have to hold the head.
        const taken = violatedUnique(error);
        if (taken !== undefined) throw new DamagedLog(`what the head says is free is taken already (${taken})`);
        if (again || (error as { code?: string }).code !== noPartition) throw error;
        this.partitions.forget();
      }
    }
  }

  private async appendOnce(items: readonly Item[]): Promise<Arranged> {
    await this.partitions.ready();
    return this.database.transaction(async (sql) => {
      const arranged = arrange(items, await holdAndLookUp(sql, items, this.keys), this.clock.now(), randomBytes);
      await sql.last(writeBatch, batchValues(arranged, items, this.keys));
      return arranged;
    });
  }
}
