import { appendRecords, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/bus';
import { Controller } from '@nestjs/common';
import { ProvisionalRecords } from './provisional-records.js';
import { Sequencer } from './sequencer.js';

/** Records that belong to no change. The answer means that each stands in the log, or is kept until its handler's comes. */
@Controller()
export class AppendRecordsHandler {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly provisional: ProvisionalRecords,
  ) {}

  @Handles(appendRecords)
  async handle({ records }: RequestOf<typeof appendRecords>): Promise<ReplyOf<typeof appendRecords>> {
    const guesses = records.filter((r) => r.provisional);
    await Promise.all([
      this.sequencer.append(records.filter((r) => !r.provisional).map(({ org, record }) => ({ org, record }))),
      guesses.length > 0 && this.provisional.keep(guesses),
    ]);
    return {};
  }
}
