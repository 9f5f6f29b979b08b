import type { ValidationIssue } from '@holdfast/contracts';
import { unprocessable } from '@holdfast/platform';
import { durationBounds } from './validity.js';

/** A hundred years: a longer validity is a typing error, and could lead beyond the years that RFC 3339 can express. */
const maxValidityMs = 36_600 * 86_400_000;

/**
 * Checks the terms of a type. A renewal window opens before the expiration, so it needs a validity and must be shorter
 * than it, whichever months both fall into; otherwise a credential could be renewed from its first moment on.
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
  const issues: ValidationIssue[] = [];
  // Offers of such a type could be created and delivered, but not claimed.
  if (holders && !holders.includes('passkey'))
    issues.push({ pointer: '#/holders', detail: 'must include passkey: wallets cannot hold credentials yet' });
  if (validity !== undefined && durationBounds(validity).minMs <= 0)
    issues.push({ pointer: '#/validity', detail: 'must be longer than zero' });
  if (validity !== undefined && durationBounds(validity).maxMs > maxValidityMs)
    issues.push({
      pointer: '#/validity',
      detail: 'must be a hundred years at most; leave it out for a credential that does not expire',
    });
  if (renewalWindow !== undefined) {
    if (validity === undefined)
      issues.push({
        pointer: '#/renewalWindow',
        detail: 'needs a validity: a credential that does not expire is not renewed',
      });
    else if (durationBounds(renewalWindow).maxMs >= durationBounds(validity).minMs)
      issues.push({ pointer: '#/renewalWindow', detail: `must be shorter than the validity, ${validity}` });
    if (durationBounds(renewalWindow).minMs <= 0)
      issues.push({ pointer: '#/renewalWindow', detail: 'must be longer than zero' });
  }
  if (issues.length > 0) throw unprocessable(issues);
}
