import { Controller } from '@nestjs/common';
import { recordOperatorRead, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OperatorRecords } from './operator-records.js';

/** Records what the operator reads from other services. The caller has checked that the organization exists. */
@Controller()
export class RecordOperatorReadHandler {
  constructor(private readonly operator: OperatorRecords) {}

  @Handles(recordOperatorRead)
  async handle(
    { action, targets }: RequestOf<typeof recordOperatorRead>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof recordOperatorRead>> {
    if (context.actor.type !== 'operator')
      throw new AppError('invalid_request', 'record-operator-read accepts requests of the operator only');
    await this.operator.append(context, action, targets);
    return {};
  }
}
