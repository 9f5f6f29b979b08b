import type { AuditTarget } from '../audit/audit-record.js';

/** Audit targets of a request about an offer or a credential of a customer. */
export function targetsOf(type: 'offer' | 'credential', id: string, dataSubject: string): AuditTarget[] {
  return [
    { type, id, dataSubject },
    { type: 'customer', id: dataSubject, dataSubject },
  ];
}

/** Of a change: a refused request and the repeat of an erased customer's name nobody. */
export function targetsOfRepeat(
  type: 'offer' | 'credential',
  id: string,
  outcome?: { dataSubject?: string | undefined },
): AuditTarget[] {
  return outcome?.dataSubject === undefined ? [] : targetsOf(type, id, outcome.dataSubject);
}
