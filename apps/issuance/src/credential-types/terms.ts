import type { ValidationIssue } from '@holdfast/contracts';
import { unprocessable } from '@holdfast/platform';
import { durationBounds } from './validity.js';

/**
 * A hundred years: what lies further is a slip of the pen, and would lead out of the calendar that RFC 3339 can write.
 */
const longest = 36_600 * 86_400_000;

/**
 * What must hold of a type's times. A renewal window opens before the end, so it needs an end, and must be shorter than
 * the validity whichever months they fall into; otherwise a credential could be renewed for ever from its first moment.
 * @throws invalid_request (422)
 */
export function requireTerms({
  validity,
  renewalWindow,
  holders,
}: {
  validity?: string;
  renewalWindow?: string;
  holders?: readonly string[];
}): void {
  const faults: ValidationIssue[] = [];
  // Its offers would be made and delivered, and nobody could claim one.
  if (holders && !holders.includes('passkey'))
    faults.push({ pointer: '#/holders', detail: 'must include passkey: wallets cannot hold credentials yet' });
  if (validity !== undefined && durationBounds(validity).shortest <= 0)
    faults.push({ pointer: '#/validity', detail: 'must be longer than nothing' });
  if (validity !== undefined && durationBounds(validity).longest > longest)
    faults.push({
      pointer: '#/validity',
      detail: 'must be a hundred years at most; leave it out for a credential without an end',
    });
  if (renewalWindow !== undefined) {
    if (validity === undefined)
      faults.push({ pointer: '#/renewalWindow', detail: 'needs a validity: what has no end is not renewed' });
    else if (durationBounds(renewalWindow).longest >= durationBounds(validity).shortest)
      faults.push({ pointer: '#/renewalWindow', detail: `must be shorter than the validity, ${validity}` });
    if (durationBounds(renewalWindow).shortest <= 0)
      faults.push({ pointer: '#/renewalWindow', detail: 'must be longer than nothing' });
  }
  if (faults.length > 0) throw unprocessable(faults);
}
