import { Controller } from '@nestjs/common';
import { auditTile, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { tileWidth } from '@holdfast/tlog';
import { storedHashes } from './tree.js';

/** The hashes of a tile are stored one by one, so any width that is there can be given. */
@Controller()
export class TileHandler {
  constructor(private readonly database: Database) {}

  @Handles(auditTile)
  async handle(
    { level, index, width }: RequestOf<typeof auditTile>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof auditTile>> {
    const first = index * tileWidth;
    // Further than numbers reach, there is no tile.
    const [hashes = []] = Number.isSafeInteger(first + tileWidth)
      ? await storedHashes(this.database, org, [{ level, first, count: width }])
      : [];
    if (hashes.length < width) throw new AppError('unknown_tile');
    return { hashes: Buffer.concat(hashes).toString('base64') };
  }
}
