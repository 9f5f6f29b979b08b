import type { Action, AuditRecord, AuditTarget, RequestContext } from '@holdfast/contracts';

export interface Audited {
  action: Action;
  targets: AuditTarget[];
  outcome: AuditRecord['outcome'];
  changes?: AuditRecord['changes'];
}

/** The one audit record of a request: who and how come from the call's context alone. */
export function auditRecord(
  { auditId, actor, request }: RequestContext,
  now: Date,
  { changes, ...what }: Audited,
): AuditRecord {
  return { id: auditId, occurredAt: now.toISOString(), actor, request, ...what, ...(changes && { changes }) };
}
