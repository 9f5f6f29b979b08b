import type { AuditDestination, AuditEvent } from '@holdfast/contracts';
import { ocsfEventOf } from '@holdfast/platform';
import type { Entry } from './kinds/kind.js';

/** An entry as a destination gets it. Both formats have pseudonyms only, since the event has them only. */
export function entryOf(event: AuditEvent, org: string, format: AuditDestination['format']): Entry {
  return { event, body: format === 'ocsf' ? ocsfEventOf(org, event) : { organization: org, ...event } };
}
