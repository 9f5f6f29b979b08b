import type { Action, AuditTarget, CallContext } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { AppError, auditRecord, CLOCK, unavailable, type Clock } from '@holdfast/kit';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Sequencer } from '../entries/sequencer.js';
import { WaitingRecords } from '../entries/waiting-records.js';

const logOf = statement('operator_log', 'SELECT 1 FROM head WHERE org = $1');

/**
 * What the operator reads of an organization, whose log says so (product §7). The gateway records what comes through it; the
 * operator comes over the bus, so that whoever answers must see to it.
 */
@Injectable()
export class OperatorRecords {
  private readonly logger = new Logger('operator');

  constructor(
    private readonly database: Database,
    private readonly sequencer: Sequencer,
    private readonly waiting: WaitingRecords,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the answer may leave. Several questions of one act come with one id and stand in the log as one.
   * @throws unavailable when it cannot be recorded, unknown_organization when there is no log: a name that was mistyped must not begin one
   */
  async recorded(context: CallContext, action: Action): Promise<void> {
    const { org, actor } = context;
    if (actor.type !== 'operator') return;
    if ((await this.database.rows(logOf, [org])).length === 0) throw new AppError('unknown_organization', `There is no organization "${org}".`);
    await this.append(context, action);
  }

  /** @throws unavailable */
  async append(context: CallContext, action: Action, targets: AuditTarget[] = []): Promise<void> {
    const { org } = context;
    const record = auditRecord(context, this.clock.now(), { action, targets, outcome: { result: 'success' } });
    try {
      const refused = await this.sequencer.place([{ org, record }]);
      // A damaged log takes no record until it is mended, and whoever mends it must see first where it is damaged.
      await this.waiting.park(refused);
    } catch (error) {
      this.logger.error(`what the operator reads of ${org} cannot be recorded, so it is not given out: ${String(error)}`);
      throw unavailable('the audit log cannot be written, so nothing is given out');
    }
  }
}
