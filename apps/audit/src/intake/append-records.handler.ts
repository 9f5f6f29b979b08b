import { Controller, Logger } from '@nestjs/common';
import { appendRecords, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { isFaultOfData, whyDatabaseIsAway } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import { Sequencer } from '../append/sequencer.js';
import { WaitingRecords } from '../quarantine/pending-records.js';

/** Records that come without an event. The answer means that each stands in the log, or is kept for it. */
@Controller()
export class AppendRecordsHandler {
  private readonly logger = new Logger('append-records');

  constructor(
    private readonly sequencer: Sequencer,
    private readonly waiting: WaitingRecords,
  ) {}

  /** @throws invalid_request when one of them has no place to be had: AuditWriter then sends the others without it */
  @Handles(appendRecords)
  async handle({ records }: RequestOf<typeof appendRecords>): Promise<ReplyOf<typeof appendRecords>> {
    const guesses = records.filter((r) => r.provisional);
    const places = Promise.all([
      this.append(records.filter((r) => !r.provisional)),
      guesses.length > 0 && this.waiting.keep(guesses),
    ]);
    await places.catch((error: unknown) => {
      if (error instanceof AppError) throw error;
      const [{ org, record } = { org: '', record: undefined }, ...others] = records;
      if (isFaultOfData(error)) {
        // Said once, when it has been found out whose it is.
        if (others.length === 0)
          this.logger.error(
            `record ${record?.id} of ${org} cannot be given a place, so its caller gets 503: ${String(error)}`,
          );
        throw new AppError('invalid_request', 'a record cannot be given a place');
      }
      // The right to write revoked, a disk that is full: not this record's fault, and over once somebody has looked.
      const away = whyDatabaseIsAway(error);
      const detail = `the audit log cannot be written${away === undefined ? '' : `: ${away}`}`;
      this.logger.error(`${detail}: ${String(error)}`);
      throw unavailable(detail, 1, { dependency: 'postgres', cause: 'unavailable' });
    });
    return {};
  }

  private async append(records: RequestOf<typeof appendRecords>['records']): Promise<void> {
    const refused = await this.sequencer.place(
      records.map(({ org, record, committed = false }) => ({ org, record, committed })),
    );
    const withheld = refused.find(({ item }) => !item.committed);
    if (withheld) throw withheld.fault;
    await this.waiting.park(refused);
  }
}
