import { recordOperatorRead, type AuditTarget, type OperatorRead, type RequestContext } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';

/**
 * Puts into the log of the context's organization that the operator reads this of it; the gateway sees to everybody
 * else. Resolves when the answer may leave. @throws unavailable
 */
export async function recordReadOfOperator(
  bus: Bus,
  context: RequestContext,
  action: OperatorRead,
  targets: AuditTarget[] = [],
): Promise<void> {
  if (context.actor.type === 'operator') await bus.request(recordOperatorRead, { action, targets }, context);
}
