import { Controller, Logger } from '@nestjs/common';
import { appendRecords, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { databaseUnavailableReason, isPermanentError } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import { Sequencer } from '../append/sequencer.js';
import { PendingRecords } from '../quarantine/pending-records.js';

type Records = RequestOf<typeof appendRecords>['records'];

/** Appends records that come without an event. The reply means that each has an entry, or is stored as pending. */
@Controller()
export class AppendRecordsHandler {
  private readonly logger = new Logger('append-records');

  constructor(
    private readonly sequencer: Sequencer,
    private readonly pending: PendingRecords,
  ) {}

  /** @throws invalid_request when a record cannot be appended: AuditWriter then sends the others without it */
  @Handles(appendRecords)
  async handle({ records }: RequestOf<typeof appendRecords>): Promise<ReplyOf<typeof appendRecords>> {
    const provisional = records.filter((r) => r.provisional);
    try {
      await Promise.all([
        this.append(records.filter((r) => !r.provisional)),
        provisional.length > 0 && this.pending.storeProvisional(provisional),
      ]);
    } catch (error) {
      throw this.replyError(error, records);
    }
    return {};
  }

  private async append(records: Records): Promise<void> {
    const rejected = await this.sequencer.tryAppend(
      records.map(({ org, record, committed = false }) => ({ org, record, committed })),
    );
    const uncommitted = rejected.find(({ item }) => !item.committed);
    if (uncommitted) throw uncommitted.error;
    await this.pending.quarantine(rejected);
  }

  private replyError(error: unknown, [first, ...others]: Records): AppError {
    if (error instanceof AppError) return error;
    if (isPermanentError(error)) {
      // Logged once: when AuditWriter sends the rejected record alone.
      if (first && others.length === 0)
        this.logger.error(
          `Record ${first.record.id} of ${first.org} cannot be appended, so its caller gets 503: ${String(error)}`,
        );
      return new AppError('invalid_request', 'a record cannot be appended');
    }
    // A revoked right or a full disk does not depend on the record, and ends when an operator has repaired it.
    const reason = databaseUnavailableReason(error);
    const detail = `the audit log cannot be written${reason === undefined ? '' : `: ${reason}`}`;
    this.logger.error(`${detail}: ${String(error)}`);
    return unavailable(detail, 1, { dependency: 'postgres', cause: 'unavailable' });
  }
}
