import { Controller } from '@nestjs/common';
import { recordReading, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OperatorRecords } from './operator-records.js';

/** Records what the operator reads from other services. The caller has checked that the organization exists. */
@Controller()
export class RecordReadingHandler {
  constructor(private readonly operator: OperatorRecords) {}

  @Handles(recordReading)
  async handle(
    { action, targets }: RequestOf<typeof recordReading>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof recordReading>> {
    if (context.actor.type !== 'operator')
      throw new AppError('invalid_request', 'record-reading accepts requests of the operator only');
    await this.operator.append(context, action, targets);
    return {};
  }
}
