import type { AuditTarget } from '../audit/audit-record.js';
import type { Outcome } from './forwarded.js';

export const appTarget = (id: string): AuditTarget => ({ type: 'app', id });
export const groupTarget = (id: string): AuditTarget => ({ type: 'group', id });
export const personTarget = (id: string): AuditTarget => ({ type: 'person', id, dataSubject: id });

/** Of a command about a person: only the record of a repeat has them, unless the person was erased since. */
export function personOfRepeat(_input: unknown, outcome?: Outcome): AuditTarget[] {
  return outcome?.dataSubject === undefined ? [] : [personTarget(outcome.dataSubject)];
}
