import { describe, expect, test } from '@jest/globals';
import { safeAddress } from '../browser/address.ts';
import { texts } from '../texts.ts';
import { claimScreen, dateAndTime, type Environment } from './link-screen.ts';
import type { ClaimState, ClaimView, FailureReason } from './link-state.ts';

const environment: Environment = {
  timeZone: 'Europe/Berlin',
  address: (text) => safeAddress(text, 'https://id.example/o/acme/claim'),
};
const claim: ClaimView = {
  organization: { name: 'Acme' },
  credentialType: { name: 'customer', display: 'Customer account' },
  state: 'open',
  recovery: false,
  expiresAt: '2026-11-24T08:49:00.000Z',
};
const reasons: FailureReason[] = [
  'cancelled',
  'existing',
  'ceremony_expired',
  'passkey_invalid',
  'unsuitable',
  'insecure',
  'rate_limited',
  'unavailable',
];
const states: ClaimState[] = [
  { name: 'loading' },
  ...(['ready', 'working', 'done', 'spent', 'expired', 'withdrawn', 'unsupported', 'insecure'] as const).map(
    (name) => ({ name, claim }),
  ),
  { name: 'unknown' },
  { name: 'missing' },
  ...reasons.map((why): ClaimState => ({ name: 'stopped', why, claim })),
];

test('every state has its own heading, and all but the first tell what to do', () => {
  const screens = states.map((state) => claimScreen(state, environment));
  // Two states are `insecure`, with the same texts.
  expect(new Set(screens.map((screen) => screen.heading)).size).toBe(screens.length - 1);
  for (const { heading, body } of screens.slice(1))
    expect([heading, body.length > 0 && body.every(Boolean)]).toEqual([heading, true]);
});

test('ready shows organization, account type, expiration and one button', () => {
  const screen = claimScreen({ name: 'ready', claim }, environment);
  expect(screen).toMatchObject({
    organization: 'Acme',
    heading: texts.claim.ready,
    primary: { label: 'Create my passkey', action: 'create' },
  });
  expect(screen.facts).toEqual([
    { name: 'Account type', value: 'Customer account' },
    { name: 'This link works until', value: '24 November 2026 at 09:49 CET' },
  ]);
  expect(screen.body.join()).toContain('Acme');
});

test('a recovery tells that the earlier passkey stops working', () => {
  const { heading, body } = claimScreen({ name: 'ready', claim: { ...claim, recovery: true } }, environment);
  expect([heading, body.join()]).toEqual([texts.claim.recovery, expect.stringContaining('stops working')]);
});

describe('a finished claim', () => {
  test('has a link when the offer has a return URL', () => {
    expect(claimScreen({ name: 'done', claim, returnUrl: 'https://shop.example/in' }, environment).primary).toEqual({
      label: 'Continue',
      href: 'https://shop.example/in',
    });
    expect(
      claimScreen({ name: 'spent', claim: { ...claim, returnUrl: 'com.example.app:/in' } }, environment).primary,
    ).toMatchObject({ href: 'com.example.app:/in' });
  });

  test('tells that the page can be closed when there is no return URL, or no safe one', () => {
    for (const returnUrl of [undefined, 'javascript:alert(1)', 'data:text/html,x']) {
      const { primary, body } = claimScreen({ name: 'done', claim, ...(returnUrl && { returnUrl }) }, environment);
      expect([primary, body.at(-1)]).toEqual([undefined, texts.claim.doneClose]);
    }
  });
});

test('an expired or withdrawn link links to the app when its address is known', () => {
  for (const name of ['expired', 'withdrawn'] as const) {
    expect(
      claimScreen({ name, claim: { ...claim, returnUrl: 'https://shop.example/in' } }, environment).primary,
    ).toEqual({
      label: 'Back to Acme',
      href: 'https://shop.example/in',
    });
  }
});

test('used and expired links have no button; a failure has one', () => {
  for (const name of ['expired', 'withdrawn', 'spent'] as const)
    expect(claimScreen({ name, claim }, environment).primary).toBeUndefined();
  for (const why of reasons.filter((reason) => reason !== 'existing'))
    expect(claimScreen({ name: 'stopped', why, claim }, environment).primary).toEqual({
      label: 'Try again',
      action: 'create',
    });
  expect(claimScreen({ name: 'stopped', why: 'existing', claim }, environment)).toMatchObject({
    tone: 'good',
    secondary: { action: 'create' },
  });
});

test('a rate limit shows how long to wait', () => {
  expect(claimScreen({ name: 'stopped', why: 'rate_limited', retryAfter: 20 }, environment).body).toEqual([
    'Please wait 20 seconds, then try again.',
  ]);
});

test('times are in the customer’s time zone, with its name', () => {
  expect(dateAndTime('2026-11-24T23:30:00.000Z', 'Asia/Tokyo')).toBe('25 November 2026 at 08:30 GMT+9');
});
