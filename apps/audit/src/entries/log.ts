import { randomBytes } from 'node:crypto';
import { CONFIG } from '@holdfast/bus';
import { Database, violatedUnique } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AuditConfig } from '../config.js';
import { arrange, type Arranged } from './arrange.js';
import type { Item } from './choose.js';
import { holdAndLookUp } from './known.js';
import { Partitions } from './partitions.js';
import { storable } from './storable.js';
import { batchValues, writeBatch } from './write-batch.js';

/** Rounds in which another replica may have been faster before something else must be wrong. */
const rounds = 5;
/** PostgreSQL has no partition for a row. */
const noPartition = '23514';

/** Appends to the logs of organizations: whole batches, each in one transaction. */
@Injectable()
export class Log {
  private readonly logger = new Logger('log');

  constructor(
    private readonly database: Database,
    private readonly partitions: Partitions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<AuditConfig, 'KEY_ENCRYPTION_KEY'>,
  ) {}

  /**
   * Gives every item its place, or none of them. Places have no gap: they are given out while the head of the log is
   * held and commit with it. An item that has its place already keeps it.
   */
  async append(given: readonly Item[]): Promise<void> {
    const items = given.map(({ record, ...item }) => ({ ...item, ...(record && { record: storable(record) }) }));
    for (let round = 1; ; round += 1) {
      try {
        const { late } = await this.appendOnce(items);
        for (const { id, request } of late) this.logger.warn(`the handler's record ${id} of request ${request.id} came after the gateway's was given its place; both stand in the log`);
        return;
      } catch (error) {
        const full = (error as { code?: string }).code === noPartition;
        if (full) this.partitions.forget();
        if ((!full && violatedUnique(error) === undefined) || round === rounds) throw error;
      }
    }
  }

  private async appendOnce(items: readonly Item[]): Promise<Arranged> {
    await this.partitions.ready();
    return this.database.transaction(async (sql) => {
      const arranged = arrange(items, await holdAndLookUp(sql, items, this.config.KEY_ENCRYPTION_KEY), this.clock.now(), randomBytes);
      await sql.last(writeBatch, batchValues(arranged, items, this.config.KEY_ENCRYPTION_KEY));
      return arranged;
    });
  }
}
