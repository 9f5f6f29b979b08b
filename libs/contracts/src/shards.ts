import { z } from 'zod';

/** The shard of every organization that was created without another one. Its NATS is that of `NATS_URL`. */
export const mainShard = 'main';

export const shardName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be 1 to 31 lower-case letters, digits or hyphens, beginning with a letter');

/**
 * What a fenced organization is refused: requests, or also events and every write of a service. Events of one that was
 * `deleted` are dropped.
 */
export type FenceLevel = 'requests' | 'everything' | 'deleted';
