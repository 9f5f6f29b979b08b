import { recordOperatorRead, type AuditTarget, type OperatorRead, type RequestContext } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';

/**
 * If the operator sent the request, appends a record of the read to the log of the context's organization. The gateway
 * records the reads of everybody else. The reply may leave once this resolves. @throws unavailable
 */
export async function recordReadOfOperator(
  bus: Bus,
  context: RequestContext,
  action: OperatorRead,
  targets: AuditTarget[] = [],
): Promise<void> {
  if (context.actor.type === 'operator') await bus.request(recordOperatorRead, { action, targets }, context);
}
