import { Controller, Logger } from '@nestjs/common';
import { auditProof, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import { inclusionProof, leafHash, verifyInclusion } from '@holdfast/tlog';
import { Checkpoints } from './checkpoints.js';
import { hashReader } from './tree.js';

const leafById = statement(
  'leaf_by_id',
  'SELECT e.seq, e.leaf FROM place p JOIN entry e USING (org, seq, class, month) WHERE p.org = $1 AND p.id = $2',
);

@Controller()
export class ProofHandler {
  private readonly logger = new Logger('proof');

  constructor(
    private readonly database: Database,
    private readonly checkpoints: Checkpoints,
  ) {}

  @Handles(auditProof)
  async handle({ id }: RequestOf<typeof auditProof>, { org }: RequestContext): Promise<ReplyOf<typeof auditProof>> {
    const [entry] = await this.database.rows<{ seq: number; leaf: Buffer }>(leafById, [org, id]);
    if (!entry) throw new AppError('unknown_event');
    const { note, size, root } = await this.checkpoints.newest(org);
    const index = entry.seq - 1;
    const proof = await inclusionProof(index, size, hashReader(this.database, org));
    if (!verifyInclusion({ index, size, leafHash: leafHash(entry.leaf), proof, root })) {
      this.logger.error(
        `entry ${entry.seq} of ${org} is not what its tree holds: it was changed. Verify the log with "holdfast audit verify"`,
      );
      throw unavailable(
        `Entry ${entry.seq} is not what the log's tree holds: it was changed after it was written.`,
        60,
      );
    }
    return {
      id,
      seq: entry.seq,
      leaf: entry.leaf.toString('base64'),
      hashes: proof.map((hash) => hash.toString('base64')),
      checkpoint: note,
    };
  }
}
