import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { shortId, uuid, type AuditTarget, type Contract, type ReplyOf } from '@holdfast/contracts';
import type { Resources } from '../../requests/resources.js';

export const groupParameter = uuid.describe('The group: its `id`');
export const userParameter = uuid.describe('The person: `id` of the user');
export const groupParams = z.strictObject({ shortId, group: groupParameter });

export const groupTarget = (id: string): AuditTarget => ({ type: 'group', id });
export const personTarget = (id: string): AuditTarget => ({ type: 'person', id, dataSubject: id });

export const groupId = '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04';
export const userId = '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10';

/**
 * Sends a command. Its handler has written the record, unless it is a repeat or nothing had to be changed: then the
 * gateway writes it, with these targets.
 */
export async function act<C extends Contract>(
  resources: Resources,
  [request, reply]: [FastifyRequest, FastifyReply],
  [contract, command]: [C, z.input<C['request']>],
  targets: AuditTarget[],
): Promise<Omit<ReplyOf<C>, 'replayed'>> {
  const { requestContext } = request;
  requestContext.targets = targets;
  const response = await resources.act(request, reply, contract, command, () => targets);
  const { changed } = response as { changed?: number | boolean };
  if (changed === 0 || changed === false) requestContext.audited = false;
  return response;
}
