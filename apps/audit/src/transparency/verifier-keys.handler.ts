import { Controller } from '@nestjs/common';
import { auditVerifierKeys, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { formatVerifierKey } from '@holdfast/tlog';
import { OperatorRecords } from '../intake/operator-records.js';
import { Checkpoints } from './checkpoints.js';

@Controller()
export class VerifierKeysHandler {
  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(auditVerifierKeys)
  async handle(
    _: RequestOf<typeof auditVerifierKeys>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof auditVerifierKeys>> {
    await this.operator.recorded(context, 'audit.prove');
    return { keys: this.checkpoints.keysOf(context.org).verifiers.map(formatVerifierKey) };
  }
}
