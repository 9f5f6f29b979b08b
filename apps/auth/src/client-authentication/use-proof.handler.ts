import { Controller } from '@nestjs/common';
import { useProof, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { StateStore } from '../sessions/state-store.js';
import { asAppError } from '../temporarily-unavailable.js';

@Controller()
export class UseProofHandler {
  constructor(private readonly store: StateStore) {}

  @Handles(useProof)
  async handle(
    { proof, seconds }: RequestOf<typeof useProof>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof useProof>> {
    return { first: await this.store.useOnce(org, 'UsedProof', proof, seconds).catch(asAppError) };
  }
}
