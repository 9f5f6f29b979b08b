import { mainShard } from '@holdfast/contracts';
import type { Shards } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

/** @throws invalid_request */
export function requireShard({ names }: Shards, shard: string): void {
  if (!names.includes(shard))
    throw new AppError(
      'invalid_request',
      `There is no shard "${shard}". SHARDS of directory and ${mainShard} are: ${names.join(', ')}.`,
    );
}
