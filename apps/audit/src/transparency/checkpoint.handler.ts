import { Controller } from '@nestjs/common';
import { auditCheckpoint, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { OperatorRecords } from '../intake/operator-records.js';
import { Checkpoints } from './checkpoints.js';

@Controller()
export class CheckpointHandler {
  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(auditCheckpoint)
  async handle(
    _: RequestOf<typeof auditCheckpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof auditCheckpoint>> {
    const { note } = await this.checkpoints.newest(context.org);
    await this.operator.recorded(context, 'audit.prove');
    return { checkpoint: note };
  }
}
