import { expect, test } from '@jest/globals';
import { signInScreen } from './sign-in-screen.ts';
import type { SignInState, Stop } from './sign-in-state.ts';

const view = { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Shop' } };
const stops: Stop[] = [
  'unknown_passkey',
  'other_organization',
  'cancelled',
  'ceremony_expired',
  'passkey_invalid',
  'unsuitable',
  'rate_limited',
  'unavailable',
];
const stopped = (why: Stop): SignInState => ({ name: 'stopped', why, view });

test('every state has words of its own', () => {
  const states: SignInState[] = [
    { name: 'loading' },
    ...(['ready', 'working', 'verifying', 'leaving', 'unsupported', 'insecure', 'expired'] as const).map((name) => ({
      name,
      view,
    })),
    ...stops.map(stopped),
  ];
  const headings = states.map((state) => signInScreen(state, true).heading);
  expect(new Set(headings).size).toBe(headings.length);
});

test('ready shows the organization, the app, a button and a way back, and lets the browser suggest passkeys', () => {
  expect(signInScreen({ name: 'ready', view }, true)).toMatchObject({
    organization: 'Acme',
    heading: 'Sign in to Shop',
    primary: { label: 'Sign in with a passkey', action: 'ask' },
    suggestions: true,
    secondary: { label: 'Back to Shop', action: 'leave' },
  });
  expect(signInScreen({ name: 'ready', view }, false).suggestions).toBeUndefined();
});

test('a stop can be tried again and left; suggestions come back after a cancel alone', () => {
  for (const why of stops)
    expect(signInScreen(stopped(why), true)).toMatchObject({
      primary: { action: 'ask' },
      secondary: { action: 'leave' },
    });
  expect(stops.filter((why) => signInScreen(stopped(why), true).suggestions)).toEqual(['cancelled']);
});

test('earlier passkeys have a button of their own while customers move, and only then', () => {
  const moving = { ...view, earlierPasskeys: true as const };
  for (const state of [{ name: 'ready' as const }, { name: 'stopped' as const, why: 'cancelled' as const }]) {
    expect(signInScreen({ ...state, view: moving }, true).other).toEqual({
      label: 'Use an earlier passkey',
      action: 'askEarlier',
    });
    expect(signInScreen({ ...state, view }, true).other).toBeUndefined();
  }
});

test('another organization’s passkey is not called unknown or broken', () => {
  expect(signInScreen(stopped('other_organization'), true).body.join()).toContain('keeps working');
});

test('a sign-in that has ended leads back to the app when its address is known', () => {
  const known = { ...view, app: { name: 'Shop', uri: 'https://shop.example' } };
  expect(signInScreen({ name: 'expired', view: known }, true)).toMatchObject({
    organization: 'Acme',
    primary: { label: 'Back to Shop', href: 'https://shop.example' },
  });
  expect(signInScreen({ name: 'expired', view }, true).primary).toBeUndefined();
});
