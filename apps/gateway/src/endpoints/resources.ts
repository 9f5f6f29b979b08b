import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditTarget } from '@holdfast/contracts';

/** What a handler says of a change that may be repeated (`idempotentCommand`). */
interface Answered {
  replayed?: { subject?: string | undefined } | undefined;
}

/** The Idempotency-Key of an input, as commands take it. */
export function keyOf({ idempotencyKey }: { idempotencyKey?: string }): { idempotencyKey?: string } {
  return idempotencyKey === undefined ? {} : { idempotencyKey };
}

/**
 * Takes the reply of an idempotent command: a change has its record already; a repeat changed nothing and gets one of
 * its own, about these `targets` of the customer whom it concerned. Gives the rest of the reply.
 */
export function answered<Reply extends Answered>(
  { replayed, ...answer }: Reply,
  request: FastifyRequest,
  reply: FastifyReply,
  targets: (holder: string) => AuditTarget[],
): Omit<Reply, 'replayed'> {
  request.call.audited = !replayed;
  if (replayed) markReplayed(request, reply);
  // Who has been erased is no target: the repeat of an erasure names nobody.
  if (replayed?.subject !== undefined) request.call.targets = targets(replayed.subject);
  return answer;
}

/** The answer is that of an earlier request with the same Idempotency-Key, and says so. */
export function markReplayed({ call }: FastifyRequest, reply: FastifyReply): void {
  call.replayed = true;
  void reply.header('idempotency-replayed', 'true');
}
