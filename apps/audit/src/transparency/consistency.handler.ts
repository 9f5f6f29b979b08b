import { Controller } from '@nestjs/common';
import { auditConsistency, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { consistencyProof } from '@holdfast/tlog';
import { OperatorRecords } from '../intake/operator-records.js';
import { Checkpoints } from './checkpoints.js';
import { hashReader } from './tree.js';

@Controller()
export class ConsistencyHandler {
  constructor(
    private readonly database: Database,
    private readonly checkpoints: Checkpoints,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(auditConsistency)
  async handle(
    { from, to }: RequestOf<typeof auditConsistency>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof auditConsistency>> {
    const { org } = context;
    const { size } = await this.checkpoints.newest(org);
    if (to > size)
      throw new AppError('invalid_request', undefined, {
        errors: [{ parameter: 'to', detail: `must not exceed the size of the newest checkpoint, ${size}` }],
      });
    if (from > to)
      throw new AppError('invalid_request', undefined, {
        errors: [{ parameter: 'from', detail: 'must not exceed `to`' }],
      });
    const hashes = await consistencyProof(from, to, hashReader(this.database, org));
    await this.operator.recorded(context, 'audit.prove');
    return { hashes: hashes.map((hash) => hash.toString('base64')) };
  }
}
