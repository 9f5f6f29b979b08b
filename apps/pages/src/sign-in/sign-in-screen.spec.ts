import { expect, test } from '@jest/globals';
import { signInScreen } from './sign-in-screen.ts';
import type { FailureReason, SignInState } from './sign-in-state.ts';

const view = { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Shop' } };
const reasons: FailureReason[] = [
  'unknown_passkey',
  'other_organization',
  'counter_went_back',
  'deactivated',
  'not_assigned',
  'cancelled',
  'ceremony_expired',
  'passkey_invalid',
  'unsuitable',
  'rate_limited',
  'unavailable',
];
const stopped = (why: FailureReason): SignInState => ({ name: 'stopped', why, view });

test('every state has its own heading', () => {
  const states: SignInState[] = [
    { name: 'loading' },
    ...(['ready', 'preparing', 'working', 'verifying', 'leaving', 'unsupported', 'insecure', 'expired'] as const).map(
      (name) => ({
        name,
        view,
      }),
    ),
    ...reasons.map(stopped),
  ];
  const headings = states.map((state) => signInScreen(state, true).heading);
  expect(new Set(headings).size).toBe(headings.length);
});

test('ready shows the organization, the app, a button and a way back, and lets the browser suggest passkeys', () => {
  expect(signInScreen({ name: 'ready', view }, true)).toMatchObject({
    organization: 'Acme',
    heading: 'Sign in to Shop',
    primary: { label: 'Sign in with a passkey', action: 'signIn' },
    suggestions: true,
    secondary: { label: 'Back to Shop', action: 'leave' },
  });
  expect(signInScreen({ name: 'ready', view }, false).suggestions).toBeUndefined();
});

test('a ceremony can be stopped until its response is verified', () => {
  for (const name of ['preparing', 'working'] as const)
    expect(signInScreen({ name, view }, true).other).toEqual({ label: 'Cancel', action: 'stop' });
  expect(signInScreen({ name: 'verifying', view }, true).other).toBeUndefined();
});

test('an old address names the organization and leads on; help is for customers only', () => {
  const organization = { name: 'Acme', startUrl: 'https://acme.example/', helpUrl: 'https://acme.example/help' };
  const help = { label: 'Get help from Acme', href: 'https://acme.example/help' };
  expect(signInScreen({ name: 'expired' }, true, organization)).toMatchObject({
    organization: 'Acme',
    links: [{ label: 'Continue to Acme', href: 'https://acme.example/' }, help],
  });
  expect(signInScreen({ name: 'expired' }, true)).toMatchObject({ links: [] });
  const ofAcme = { ...view, organization: { ...organization, shortId: 'acme' } };
  expect(signInScreen({ name: 'ready', view: ofAcme }, true).more?.[0]).toMatchObject({
    summary: 'No passkey on this device?',
    link: help,
  });
  const rejected = { name: 'stopped', why: 'unknown_passkey' } as const;
  expect(signInScreen({ ...rejected, view: ofAcme }, true).links).toEqual([help]);
  expect(signInScreen({ ...rejected, view: { ...ofAcme, audience: 'people' } }, true).links).toEqual([]);
  expect(signInScreen({ name: 'stopped', why: 'cancelled', view: ofAcme }, true).links).toBeUndefined();
});

test('a failure has buttons to try again and to go back; suggestions return only after a cancellation', () => {
  for (const why of reasons)
    expect(signInScreen(stopped(why), true)).toMatchObject({
      primary: { action: 'signIn' },
      secondary: { action: 'leave' },
    });
  expect(reasons.filter((why) => signInScreen(stopped(why), true).suggestions)).toEqual(['cancelled']);
});

test('earlier passkeys have a button only while the organization changes its RP ID', () => {
  const moving = { ...view, earlierPasskeys: true as const };
  for (const state of [{ name: 'ready' as const }, { name: 'stopped' as const, why: 'cancelled' as const }]) {
    expect(signInScreen({ ...state, view: moving }, true).other).toEqual({
      label: 'Use an earlier passkey',
      action: 'signInEarlier',
    });
    expect(signInScreen({ ...state, view }, true).other).toBeUndefined();
  }
});

test('another organization’s passkey is shown as such, not as unknown or invalid', () => {
  expect(signInScreen(stopped('other_organization'), true).body.join()).toContain('keeps working');
});

test('for an app of the staff it asks for a work account, and a rejection says whom to ask', () => {
  const staff = { ...view, audience: 'people' as const };
  const bodyOf = (state: SignInState) => signInScreen(state, true).body.join();
  expect(bodyOf({ name: 'ready', view: staff })).toContain('people who work at Acme');
  expect(bodyOf({ name: 'ready', view })).not.toContain('work');
  expect(bodyOf({ name: 'stopped', why: 'unknown_passkey', view: staff })).toContain(
    'as a customer does not work here',
  );
  expect(signInScreen({ name: 'stopped', why: 'not_assigned', view: staff }, true)).toMatchObject({
    heading: 'You do not have access to Shop',
    body: [expect.stringContaining('Ask an administrator of Acme')],
    primary: { label: 'Choose another passkey', action: 'signIn' },
    secondary: { label: 'Back to Shop', action: 'leave' },
  });
  expect(bodyOf({ name: 'stopped', why: 'deactivated', view: staff })).toContain('Ask an administrator of Acme');
});

test('a sign-in on another device says which device is signed in, and does not lead back to the app', () => {
  const onDevice = { ...view, device: true as const };
  expect(signInScreen({ name: 'ready', view: onDevice }, true)).toMatchObject({
    body: [expect.stringContaining('the device that shows the code'), expect.stringContaining('Acme')],
    secondary: { label: 'Do not sign the device in', action: 'leave' },
  });
  expect(signInScreen({ name: 'leaving', view: onDevice }, true).heading).toBe('Signing your device in …');
  expect(signInScreen({ name: 'expired', view: onDevice }, true).body.join()).toContain('show a new code');
});

test('an expired sign-in links to the app when its address is known', () => {
  const withUri = { ...view, app: { name: 'Shop', uri: 'https://shop.example' } };
  expect(signInScreen({ name: 'expired', view: withUri }, true)).toMatchObject({
    organization: 'Acme',
    primary: { label: 'Back to Shop', href: 'https://shop.example' },
  });
  expect(signInScreen({ name: 'expired', view }, true).primary).toBeUndefined();
});
