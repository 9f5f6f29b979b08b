import { appendRecords, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/bus';
import { isFaultOfData } from '@holdfast/data';
import { unavailable } from '@holdfast/kit';
import { Controller, Logger } from '@nestjs/common';
import { ProvisionalRecords } from './provisional-records.js';
import { Sequencer } from './sequencer.js';

/** Records that belong to no change. The answer means that each stands in the log, or is kept until its handler's comes. */
@Controller()
export class AppendRecordsHandler {
  private readonly logger = new Logger('append-records');

  constructor(
    private readonly sequencer: Sequencer,
    private readonly provisional: ProvisionalRecords,
  ) {}

  @Handles(appendRecords)
  async handle({ records }: RequestOf<typeof appendRecords>): Promise<ReplyOf<typeof appendRecords>> {
    const guesses = records.filter((r) => r.provisional);
    const places = Promise.all([
      this.sequencer.append(records.filter((r) => !r.provisional).map(({ org, record }) => ({ org, record }))),
      guesses.length > 0 && this.provisional.keep(guesses),
    ]);
    await places.catch((error: unknown) => {
      if (isFaultOfData(error)) throw error;
      // The right to write revoked, a disk that is full: not this record's fault, and over once somebody has looked.
      this.logger.error(`the audit log cannot be written: ${String(error)}`);
      throw unavailable('the audit log cannot be written');
    });
    return {};
  }
}
