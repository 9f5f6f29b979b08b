import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Action, AuditTarget, RequestContext } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { AppError, auditRecord, CLOCK, unavailable, type Clock } from '@holdfast/platform';
import { WHOLE_DATABASE } from '@holdfast/service';
import { Sequencer } from '../append/sequencer.js';
import { PendingRecords } from '../quarantine/pending-records.js';

/** Recorded commands are remembered, so that further pages of an export do not lock the head of its log again. */
const maxRecorded = 1000;

/** A log whose head was deleted still exists. */
const logExists = statement(
  'operator_log',
  'SELECT FROM head WHERE org = $1 UNION ALL SELECT FROM checkpoint WHERE org = $1',
);

/**
 * Records what the operator reads of an organization (product §7). The gateway records the requests that pass through
 * it. The operator's requests come over the bus, so the service that handles them records them.
 */
@Injectable()
export class OperatorRecords {
  private readonly logger = new Logger('operator');
  /** The newest recorded commands, by organization, record id and action. */
  private readonly recorded = new Set<string>();

  constructor(
    @Inject(WHOLE_DATABASE) private readonly database: Database,
    private readonly sequencer: Sequencer,
    private readonly pending: PendingRecords,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the reply may be sent. Requests of one operator command share an id and become one record.
   * @throws unavailable when the command cannot be recorded; unknown_organization when there is no log: a mistyped name
   * must not start one
   */
  async record(context: RequestContext, action: Action, targets: AuditTarget[] = []): Promise<void> {
    const { org, actor } = context;
    if (actor.type !== 'operator') return;
    const command = `${org}/${context.auditId}/${action}`;
    if (this.recorded.has(command)) return;
    if ((await this.database.rows(logExists, [org])).length === 0)
      throw new AppError('unknown_organization', `There is no organization "${org}".`);
    await this.append(context, action, targets);
    this.recorded.add(command);
    if (this.recorded.size > maxRecorded) this.recorded.delete(this.recorded.values().next().value!);
  }

  /** @throws unavailable */
  async append(context: RequestContext, action: Action, targets: AuditTarget[] = []): Promise<void> {
    const { org } = context;
    const record = auditRecord(context, this.clock.now(), { action, targets, outcome: { result: 'success' } });
    try {
      const rejected = await this.sequencer.tryAppend([{ org, record }]);
      // Quarantined, since an operator must be able to read a damaged log in order to repair it.
      await this.pending.quarantine(rejected);
    } catch (error) {
      this.logger.error(
        `Cannot record what the operator reads of ${org}, so the request is answered with 503: ${String(error)}`,
      );
      throw unavailable('the audit log cannot be written, so nothing may be read');
    }
  }
}
