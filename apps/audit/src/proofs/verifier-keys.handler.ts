import { auditVerifierKeys, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/bus';
import { formatVerifierKey } from '@holdfast/tlog';
import { Controller } from '@nestjs/common';
import { Checkpoints } from './checkpoints.js';

@Controller()
export class VerifierKeysHandler {
  constructor(private readonly checkpoints: Checkpoints) {}

  @Handles(auditVerifierKeys)
  handle(_: RequestOf<typeof auditVerifierKeys>, { org }: CallContext): Promise<ReplyOf<typeof auditVerifierKeys>> {
    return Promise.resolve({ keys: this.checkpoints.keysOf(org).verifiers.map(formatVerifierKey) });
  }
}
