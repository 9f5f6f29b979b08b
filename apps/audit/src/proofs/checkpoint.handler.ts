import { auditCheckpoint, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/bus';
import { Controller } from '@nestjs/common';
import { Checkpoints } from './checkpoints.js';

@Controller()
export class CheckpointHandler {
  constructor(private readonly checkpoints: Checkpoints) {}

  @Handles(auditCheckpoint)
  async handle(_: RequestOf<typeof auditCheckpoint>, { org }: CallContext): Promise<ReplyOf<typeof auditCheckpoint>> {
    return { checkpoint: (await this.checkpoints.newest(org)).note };
  }
}
