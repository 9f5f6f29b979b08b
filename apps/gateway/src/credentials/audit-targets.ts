import type { AuditTarget } from '@holdfast/contracts';

/** Audit targets of a request about an offer or a credential of a customer. */
export function targetsOf(type: 'offer' | 'credential', id: string, dataSubject: string): AuditTarget[] {
  return [
    { type, id, dataSubject },
    { type: 'customer', id: dataSubject, dataSubject },
  ];
}
