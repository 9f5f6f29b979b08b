import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Action, AuditTarget, RequestContext } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { AppError, auditRecord, CLOCK, unavailable, type Clock } from '@holdfast/platform';
import { Sequencer } from '../append/sequencer.js';
import { WaitingRecords } from '../quarantine/pending-records.js';

/**
 * Acts of the operator that are remembered, so that a page more of the same export does not hold the end of its log.
 */
const mostDone = 1000;

/** A log whose end was deleted is there all the same. */
const logOf = statement(
  'operator_log',
  'SELECT FROM head WHERE org = $1 UNION ALL SELECT FROM checkpoint WHERE org = $1',
);

/**
 * What the operator reads of an organization, whose log says so (product §7). The gateway records what comes through
 * it; the operator comes over the bus, so that whoever answers must see to it.
 */
@Injectable()
export class OperatorRecords {
  private readonly logger = new Logger('operator');
  /** What stands in its log already, by organization, record and action; the newest. */
  private readonly done = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly sequencer: Sequencer,
    private readonly waiting: WaitingRecords,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the answer may leave. Several questions of one act come with one id and stand in the log as one.
   * @throws unavailable when it cannot be recorded, unknown_organization when there is no log: a name that was mistyped
   * must not begin one
   */
  async recorded(context: RequestContext, action: Action): Promise<void> {
    const { org, actor } = context;
    if (actor.type !== 'operator') return;
    const act = `${org}/${context.auditId}/${action}`;
    if (this.done.has(act)) return;
    if ((await this.database.rows(logOf, [org])).length === 0)
      throw new AppError('unknown_organization', `There is no organization "${org}".`);
    await this.append(context, action);
    this.done.add(act);
    if (this.done.size > mostDone) this.done.delete(this.done.values().next().value!);
  }

  /** @throws unavailable */
  async append(context: RequestContext, action: Action, targets: AuditTarget[] = []): Promise<void> {
    const { org } = context;
    const record = auditRecord(context, this.clock.now(), { action, targets, outcome: { result: 'success' } });
    try {
      const refused = await this.sequencer.place([{ org, record }]);
      // A damaged log takes no record until it is mended, and whoever mends it must see first where it is damaged.
      await this.waiting.park(refused);
    } catch (error) {
      this.logger.error(
        `what the operator reads of ${org} cannot be recorded, so it is not given out: ${String(error)}`,
      );
      throw unavailable('the audit log cannot be written, so nothing is given out');
    }
  }
}
