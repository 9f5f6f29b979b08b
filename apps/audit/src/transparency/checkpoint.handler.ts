import { Controller } from '@nestjs/common';
import {
  auditCheckpoint,
  auditVerifierKeys,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { formatVerifierKey } from '@holdfast/tlog';
import { OperatorRecords } from '../intake/operator-records.js';
import { Checkpoints } from './checkpoints.js';

/** The newest checkpoint, and the keys that verify it. */
@Controller()
export class CheckpointHandler {
  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(auditCheckpoint)
  async checkpoint(
    _: RequestOf<typeof auditCheckpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof auditCheckpoint>> {
    const { note } = await this.checkpoints.newest(context.org);
    await this.operator.record(context, 'audit.prove');
    return { checkpoint: note };
  }

  @Handles(auditVerifierKeys)
  async verifierKeys(
    _: RequestOf<typeof auditVerifierKeys>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof auditVerifierKeys>> {
    await this.operator.record(context, 'audit.prove');
    return { keys: this.checkpoints.keysOf(context.org).verifiers.map(formatVerifierKey) };
  }
}
