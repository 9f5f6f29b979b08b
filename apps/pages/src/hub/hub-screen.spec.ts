import { expect, test } from '@jest/globals';
import { roleNames } from '@holdfast/contracts';
import { Failed } from '../browser/failure.ts';
import { hubScreen } from './hub-screen.ts';
import { hubStep, type HubState } from './hub-state.ts';

const signIn = '/hub/acme/sign-in';
const user = { name: 'Ada Lovelace', email: 'ada@example.com', roles: [...roleNames] };

test('every state has its own heading', () => {
  const states: HubState[] = [
    { name: 'loading' },
    { name: 'signedOut' },
    { name: 'signedOut', failure: 'denied' },
    { name: 'signedOut', failure: 'failed' },
    { name: 'signedIn', user },
    { name: 'signingOut' },
    { name: 'stopped', why: 'unavailable' },
    { name: 'stopped', why: 'rate_limited' },
  ];
  expect(new Set(states.map((state) => hubScreen(state, signIn).heading)).size).toBe(states.length);
});

test('a person sees who they are, their roles in words, and can sign out', () => {
  expect(hubScreen({ name: 'signedIn', user }, signIn)).toMatchObject({
    heading: 'Ada Lovelace',
    facts: [
      { name: 'E-mail', value: 'ada@example.com' },
      { name: 'Roles', value: 'Owner, Admin, Auditor, Approver, Support' },
    ],
    primary: { label: 'Sign out', action: 'signOut' },
  });
  expect(hubScreen({ name: 'signedIn', user: { ...user, roles: [] } }, signIn).facts![1]!.value).toBe('None');
});

test('without a session the page leads to the sign-in, and says why the last one failed', () => {
  const [state] = hubStep({ name: 'loading' }, { type: 'failed', failure: new Failed('signed_out') }, 'denied');
  expect(hubScreen(state, signIn)).toMatchObject({
    heading: 'You cannot sign in here',
    primary: { label: 'Sign in', href: signIn },
  });
});

test('after a sign-out the page does not repeat why an earlier sign-in failed', () => {
  const [signingOut, effect] = hubStep({ name: 'signedIn', user }, { type: 'signOut' }, 'failed');
  expect([signingOut, effect]).toEqual([{ name: 'signingOut' }, 'signOut']);
  expect(hubStep(signingOut, { type: 'signedOut' }, 'failed')).toEqual([{ name: 'signedOut' }]);
});

test('a second click on "Sign out" changes nothing, and a failure can be tried again', () => {
  expect(hubStep({ name: 'signingOut' }, { type: 'signOut' })).toEqual([{ name: 'signingOut' }]);
  const [stopped] = hubStep({ name: 'signingOut' }, { type: 'failed', failure: new Failed('unavailable') });
  expect(hubScreen(stopped, signIn).primary).toEqual({ label: 'Try again', action: 'retry' });
  expect(hubStep(stopped, { type: 'retry' })).toEqual([{ name: 'loading' }, 'load']);
});
