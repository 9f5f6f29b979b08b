import { Controller, Logger } from '@nestjs/common';
import {
  auditConsistency,
  auditProof,
  auditTile,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import { consistencyProof, inclusionProof, leafHash, tileWidth, verifyInclusion } from '@holdfast/tlog';
import { OperatorRecords } from '../intake/operator-records.js';
import { Checkpoints } from './checkpoints.js';
import { storedHashes, TreeReader } from './tree.js';

const selectLeaf = statement(
  'leaf_by_id',
  'SELECT e.seq, e.leaf FROM leaf l JOIN entry e USING (org, seq, class, month) WHERE l.org = $1 AND l.id = $2',
);

/** Inclusion proofs, consistency proofs and tiles. */
@Controller()
export class ProofHandler {
  private readonly logger = new Logger('proof');

  constructor(
    private readonly database: Database,
    private readonly checkpoints: Checkpoints,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(auditProof)
  async inclusion({ id }: RequestOf<typeof auditProof>, { org }: RequestContext): Promise<ReplyOf<typeof auditProof>> {
    const [entry] = await this.database.rows<{ seq: number; leaf: Buffer }>(selectLeaf, [org, id]);
    if (!entry) throw new AppError('unknown_event');
    const { note, size, root } = await this.checkpoints.newest(org);
    const index = entry.seq - 1;
    const proof = await inclusionProof(index, size, new TreeReader(this.database).of(org));
    if (!verifyInclusion({ index, size, leafHash: leafHash(entry.leaf), proof, root })) {
      this.logger.error(
        `Entry ${entry.seq} of ${org} does not match its tree: it was changed. ` +
          'Verify the log with "holdfast audit verify"',
      );
      throw unavailable(
        `Entry ${entry.seq} does not match the tree of the log: it was changed after it was written.`,
        60,
      );
    }
    return { id, seq: entry.seq, leaf: entry.leaf.toString('base64'), hashes: inBase64(proof), checkpoint: note };
  }

  @Handles(auditConsistency)
  async consistency(
    { from, to }: RequestOf<typeof auditConsistency>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof auditConsistency>> {
    const { org } = context;
    const { size } = await this.checkpoints.newest(org);
    if (to > size) throw invalidParameter('to', `must not exceed the size of the newest checkpoint, ${size}`);
    if (from > to) throw invalidParameter('from', 'must not exceed `to`');
    const hashes = await consistencyProof(from, to, new TreeReader(this.database).of(org));
    await this.operator.record(context, 'audit.prove');
    return { hashes: inBase64(hashes) };
  }

  /** The hashes of a tile are stored one by one, so a partial tile can have any width that the log has reached. */
  @Handles(auditTile)
  async tile(
    { level, index, width }: RequestOf<typeof auditTile>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof auditTile>> {
    const first = index * tileWidth;
    // No log has an index beyond the safe integers.
    const [hashes = []] = Number.isSafeInteger(first + tileWidth)
      ? await storedHashes(this.database, [{ org, level, first, count: width }])
      : [];
    if (hashes.length < width) throw new AppError('unknown_tile');
    return { hashes: Buffer.concat(hashes).toString('base64') };
  }
}

function invalidParameter(parameter: string, detail: string): AppError {
  return new AppError('invalid_request', undefined, { errors: [{ parameter, detail }] });
}

function inBase64(hashes: readonly Buffer[]): string[] {
  return hashes.map((hash) => hash.toString('base64'));
}
