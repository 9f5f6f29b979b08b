import { expect, test } from '@jest/globals';
import { errorCatalogue } from '@holdfast/contracts';
import { Failed, failureOf, failureOfResponse } from './failure.ts';

test.each([
  ['unknown_claim', 'unknown_link'],
  ['claim_spent', 'link_used'],
  ['claim_expired', 'link_expired'],
  ['claim_withdrawn', 'link_withdrawn'],
  ['unknown_invitation', 'unknown_link'],
  ['invitation_accepted', 'link_used'],
  ['invitation_expired', 'link_expired'],
  ['invitation_withdrawn', 'link_withdrawn'],
  ['ceremony_expired', 'ceremony_expired'],
  ['passkey_invalid', 'passkey_invalid'],
  ['rate_limited', 'rate_limited'],
  ['unavailable', 'unavailable'],
] as const)('failureOfResponse maps the code %s to %s', (code, kind) => {
  expect(failureOfResponse(errorCatalogue[code].status, code, null).kind).toBe(kind);
});

test.each([
  [404, 'unknown_sign_in', 'not_found'],
  [404, 'unknown_organization', 'not_found'],
  [404, undefined, 'not_found'],
  [403, 'cross_site', 'insecure'],
  [403, 'cross_site_request', 'insecure'],
  [429, undefined, 'rate_limited'],
  [500, 'internal', 'unavailable'],
  [502, undefined, 'unavailable'],
  [503, { not: 'a code' }, 'unavailable'],
  [413, 'cancelled', 'unavailable'],
] as const)('failureOfResponse maps status %i and code %s to %s', (status, code, kind) => {
  expect(failureOfResponse(status, code, null).kind).toBe(kind);
});

test('failureOfResponse keeps Retry-After when it is in seconds', () => {
  expect([
    failureOfResponse(429, 'rate_limited', '20').retryAfter,
    failureOfResponse(429, 'rate_limited', 'Sat, 21 Nov 2026 08:49:00 GMT').retryAfter,
  ]).toEqual([20, undefined]);
});

test.each([
  ['NotAllowedError', 'cancelled'],
  ['InvalidStateError', 'existing'],
  ['SecurityError', 'insecure'],
  ['ConstraintError', 'unsuitable'],
  ['NotSupportedError', 'unsuitable'],
  ['UnknownError', 'passkey_invalid'],
])('failureOf maps %s to %s, wrapped or not', (name, kind) => {
  const thrown = new DOMException('x', name);
  expect([failureOf(thrown).kind, failureOf(new Error('wrapped', { cause: thrown })).kind]).toEqual([kind, kind]);
});

test('failureOf maps every other exception to passkey_invalid', () => {
  expect([failureOf('text').kind, failureOf(new Failed('link_used')).kind]).toEqual(['passkey_invalid', 'link_used']);
});
