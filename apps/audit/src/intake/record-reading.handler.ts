import { Controller } from '@nestjs/common';
import { recordReading, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OperatorRecords } from './operator-records.js';

/** What the operator reads from other services. Whoever asks has looked whether there is such an organization. */
@Controller()
export class RecordReadingHandler {
  constructor(private readonly operator: OperatorRecords) {}

  @Handles(recordReading)
  async handle(
    { action, targets }: RequestOf<typeof recordReading>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof recordReading>> {
    if (context.actor.type !== 'operator')
      throw new AppError('invalid_request', 'only what the operator reads is recorded here');
    await this.operator.append(context, action, targets);
    return {};
  }
}
