import type { Action, AuditRecord, AuditTarget, RequestContext } from '@holdfast/contracts';

export interface Audited {
  action: Action;
  targets: AuditTarget[];
  outcome: AuditRecord['outcome'];
  changes?: AuditRecord['changes'];
}

/** The audit record of a request. Actor and request come from the request context only. */
export function auditRecord(
  { auditId, actor, request }: RequestContext,
  now: Date,
  { changes, ...what }: Audited,
): AuditRecord {
  return { id: auditId, occurredAt: now.toISOString(), actor, request, ...what, ...(changes && { changes }) };
}
