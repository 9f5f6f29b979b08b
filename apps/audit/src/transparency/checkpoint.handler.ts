import { Controller } from '@nestjs/common';
import {
  auditCheckpoint,
  auditVerifierKeys,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { formatVerifierKey } from '@holdfast/tlog';
import { OperatorRecords } from '../intake/operator-records.js';
import { Checkpoints } from './checkpoints.js';
import { Cosignatures } from './cosignatures.js';

/** The newest checkpoint, and the keys that verify it. */
@Controller()
export class CheckpointHandler {
  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly cosignatures: Cosignatures,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(auditCheckpoint)
  async checkpoint(
    { cosigned = false }: RequestOf<typeof auditCheckpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof auditCheckpoint>> {
    const { org } = context;
    const note = cosigned ? await this.cosignatures.newest(org) : (await this.checkpoints.newest(org)).note;
    if (note === undefined) throw new AppError('unknown_checkpoint');
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
