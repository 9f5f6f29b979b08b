import { z } from 'zod';
import { command, query } from '../contract.js';
import { uuid } from '../fields.js';
import { shardName } from '../shards.js';

/** Where the organization is, and the move that is in progress. */
export const organizationMove = query({
  service: 'directory',
  name: 'organization-move',
  callers: ['operator'],
  request: z.strictObject({}),
  reply: z.strictObject({
    shard: shardName,
    move: z.strictObject({ id: uuid, to: shardName }).optional(),
    undelivered: z.int().describe('Events of directory that not all services of the shard have applied yet'),
  }),
  errors: ['unknown_organization'],
});

const id = uuid.describe('Of the move, so that a command of an earlier move changes nothing');

/**
 * Steps of `holdfast org move` in directory. From the first to the second or third, events of the organization wait.
 * `begin` for the shard of a move in progress keeps the id of that move.
 */
export const moveOrganization = command({
  service: 'directory',
  name: 'move-organization',
  callers: ['operator'],
  request: z.discriminatedUnion('step', [
    z.strictObject({ step: z.literal('begin'), to: shardName }),
    z.strictObject({ step: z.literal('finish'), id }),
    z.strictObject({ step: z.literal('cancel'), id }),
  ]),
  reply: z.strictObject({ shard: shardName, id: uuid }),
  errors: ['unknown_organization', 'conflict'],
});
