import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { AuditTarget, Contract, ReplyOf } from '@holdfast/contracts';
import type { Resources } from '../../requests/resources.js';

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
