import { describe, expect, test } from '@jest/globals';
import { Failed, type FailureKind } from '../browser/failure.ts';
import { claimStep, type ClaimEvent, type ClaimState, type ClaimView } from './link-state.ts';

const claim: ClaimView = {
  organization: { name: 'Acme' },
  credentialType: { name: 'customer', display: 'Customer' },
  state: 'open',
  recovery: false,
  expiresAt: '2026-11-24T08:49:00.000Z',
};
const failed = (kind: FailureKind, retryAfter?: number): ClaimEvent => ({
  type: 'failed',
  failure: new Failed(kind, retryAfter),
});
const loadedAs = (
  state: ClaimView['state'],
  webAuthnSupport: 'supported' | 'unsupported' | 'insecure' = 'supported',
): ClaimEvent => ({
  type: 'loaded',
  claim: { ...claim, state },
  webAuthnSupport,
});
const loading: ClaimState = { name: 'loading' };
const working: ClaimState = { name: 'working', claim };

describe('opening', () => {
  test('loads the claim and changes nothing', () => {
    expect(claimStep(loading, { type: 'opened', token: 'T' })).toEqual([loading, 'load']);
    expect(claimStep(loading, loadedAs('open'))).toEqual([{ name: 'ready', claim }]);
  });

  test('without a token sends no request', () => {
    expect(claimStep(loading, { type: 'opened', token: undefined })).toEqual([{ name: 'missing' }]);
    expect(claimStep(loading, { type: 'opened', token: '' })).toEqual([{ name: 'missing' }]);
  });

  test.each([
    ['claimed', 'spent'],
    ['expired', 'expired'],
    ['withdrawn', 'withdrawn'],
  ] as const)('shows a link that is %s as such, also in a browser without passkeys', (state, name) => {
    expect(claimStep(loading, loadedAs(state))[0].name).toBe(name);
    expect(claimStep(loading, loadedAs(state, 'unsupported'))[0].name).toBe(name);
  });

  test.each(['unsupported', 'insecure'] as const)('shows that passkeys are %s', (webAuthnSupport) => {
    expect(claimStep(loading, loadedAs('open', webAuthnSupport))).toEqual([{ name: webAuthnSupport, claim }]);
  });

  test('another link in the same tab loads that claim in every state', () => {
    expect(claimStep({ name: 'done', claim }, { type: 'opened', token: 'U' })).toEqual([loading, 'load']);
  });
});

describe('creating', () => {
  test('begins only with the customer’s click', () => {
    expect(claimStep({ name: 'ready', claim }, { type: 'create' })).toEqual([working, 'create']);
    expect(claimStep(working, { type: 'created', returnUrl: 'https://shop.example/' })).toEqual([
      { name: 'done', claim, returnUrl: 'https://shop.example/' },
    ]);
    expect(claimStep(working, { type: 'created' })).toEqual([{ name: 'done', claim }]);
  });

  test('ignores a second click and a late response', () => {
    expect(claimStep(working, { type: 'create' })).toEqual([working]);
    const done: ClaimState = { name: 'done', claim };
    for (const event of [
      { type: 'create' },
      { type: 'created' },
      failed('claim_spent'),
      loadedAs('open'),
    ] as ClaimEvent[])
      expect(claimStep(done, event)).toEqual([done]);
    expect(claimStep(loading, { type: 'created' })).toEqual([loading]);
  });

  test.each([
    ['claim_spent', 'spent'],
    ['claim_expired', 'expired'],
    ['claim_withdrawn', 'withdrawn'],
    ['unknown_claim', 'unknown'],
    ['not_found', 'unknown'],
  ] as const)('ends after %s, in the state %s', (kind, name) => {
    expect(claimStep(working, failed(kind))[0].name).toBe(name);
    expect(claimStep(loading, failed(kind))[0].name).toBe(name);
    expect(claimStep(claimStep(working, failed(kind))[0], { type: 'create' })[1]).toBeUndefined();
  });

  test.each([
    'cancelled',
    'existing',
    'ceremony_expired',
    'passkey_invalid',
    'unsuitable',
    'insecure',
    'rate_limited',
    'unavailable',
  ] as const)('can be repeated after %s', (kind) => {
    const [stopped] = claimStep(working, failed(kind, 7));
    expect(stopped).toEqual({ name: 'stopped', why: kind, claim, retryAfter: 7 });
    expect(claimStep(stopped, { type: 'create' })).toEqual([working, 'create']);
  });

  test('loads the claim again when it could not be loaded before', () => {
    const [stopped] = claimStep(loading, failed('unavailable'));
    expect(stopped).toEqual({ name: 'stopped', why: 'unavailable' });
    expect(claimStep(stopped, { type: 'create' })).toEqual([loading, 'load']);
  });
});
