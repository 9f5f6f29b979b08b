import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database, violatedUnique } from '@holdfast/data';
import { CLOCK, KeyEncryption, type Clock, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, WHOLE_DATABASE } from '@holdfast/service';
import { Partitions } from '../retention/partitions.js';
import { GrownLogs } from './changed-logs.js';
import { expireExports } from './erased-exports.js';
import { GrowthAnnouncements } from './growth-announcements.js';
import { lockAndLoad } from './load-batch.js';
import { DamagedLog } from './log-head.js';
import { planBatch, type AppendItem, type BatchPlan } from './plan.js';
import { storable } from './storable.js';
import { batchValues, writeBatch } from './write-batch.js';

/** SQLSTATE check_violation: PostgreSQL has no partition for a row. */
const noPartition = '23514';
/** SQLSTATE deadlock_detected: PostgreSQL has rolled back one of the transactions. */
const deadlock = '40P01';
const maxDeadlocks = 5;

/** Appends batches to the logs of organizations, each batch in one transaction. */
@Injectable()
export class AuditLog {
  private readonly logger = new Logger('log');
  private readonly encryption: KeyEncryption;

  constructor(
    @Inject(WHOLE_DATABASE) private readonly database: Database,
    private readonly partitions: Partitions,
    private readonly grownLogs: GrownLogs,
    private readonly growth: GrowthAnnouncements,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: KeyEncryptionConfig,
  ) {
    this.encryption = new KeyEncryption(config, 'audit');
  }

  /**
   * Appends all items, or none of them. `seq` has no gap: it is assigned while the head of the log is locked, and
   * commits with the head. An item that was appended before keeps its entry.
   * @throws DamagedLog when the log of one of the organizations accepts no entry
   */
  async append(given: readonly AppendItem[]): Promise<void> {
    const items = given.map(({ record, ...item }) => ({ ...item, ...(record && { record: storable(record) }) }));
    let [isRetry, deadlocks] = [false, 0];
    for (;;) {
      try {
        const { heads, lateRecords } = await this.appendOnce(items);
        this.grownLogs.add(heads.keys());
        this.growth.announce(heads);
        for (const { id, request } of lateRecords)
          this.logger.warn(
            `The handler's record ${id} of request ${request.id} came after the gateway's provisional record was ` +
              'appended; the log contains both',
          );
        return;
      } catch (error) {
        // No other replica can have inserted the row in between: it would have to hold the lock on the head.
        const taken = violatedUnique(error);
        if (taken !== undefined) throw new DamagedLog(`the next seq of the head is in use already (${taken})`);
        const { code } = error as { code?: string };
        // Heads are locked in order, except those that did not exist a moment before: replicas that start the logs of
        // many organizations at once may wait for each other.
        if (code === deadlock && (deadlocks += 1) <= maxDeadlocks) continue;
        if (isRetry || code !== noPartition) throw error;
        isRetry = true;
        this.partitions.clearExisting();
      }
    }
  }

  private async appendOnce(items: readonly AppendItem[]): Promise<BatchPlan> {
    await this.partitions.ensureCurrentMonth();
    return this.database.transaction(async (sql) => {
      const state = await lockAndLoad(sql, items, this.encryption);
      const now = this.clock.now();
      const accounted = await expireExports(sql, items, now);
      const plan = planBatch(accounted, state, now, randomBytes);
      await this.partitions.ensure(
        sql,
        plan.entries.map(({ month }) => month),
      );
      await sql.last(writeBatch, batchValues(plan, accounted, this.encryption));
      return plan;
    });
  }
}
