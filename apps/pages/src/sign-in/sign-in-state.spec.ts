import { describe, expect, test } from '@jest/globals';
import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import { Failed, type FailureKind } from '../browser/failure.ts';
import { signInStep, type SignInEvent, type SignInState } from './sign-in-state.ts';

const view = { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Shop' } };
const response = { id: 'AA' } as AuthenticationResponseJSON;
const failed = (kind: FailureKind): SignInEvent => ({ type: 'failed', failure: new Failed(kind) });
const loading: SignInState = { name: 'loading' };
const at = (name: 'ready' | 'working' | 'verifying' | 'leaving'): SignInState => ({ name, view });
const stopped = (why: 'cancelled' | 'other_organization' | 'unavailable'): SignInState => ({
  name: 'stopped',
  why,
  view,
});

describe('on load', () => {
  test('the browser may suggest passkeys at once', () => {
    expect(signInStep(loading, { type: 'opened' })).toEqual([loading, { do: 'look' }]);
    expect(signInStep(loading, { type: 'found', view, ability: 'able' })).toEqual([at('ready'), { do: 'offer' }]);
  });

  test.each(['unsupported', 'insecure'] as const)('%s: no ceremony, but a way back', (ability) => {
    const [state, effect] = signInStep(loading, { type: 'found', view, ability });
    expect([state, effect]).toEqual([{ name: ability, view }, undefined]);
    expect(signInStep(state, { type: 'ask' })).toEqual([state]);
    expect(signInStep(state, { type: 'leave' })).toEqual([at('leaving'), { do: 'cancel' }]);
  });

  test('a sign-in that is over says so, and stays so', () => {
    const [state] = signInStep(loading, failed('not_found'));
    expect(state).toEqual({ name: 'expired' });
    expect(signInStep(state, { type: 'ask' })).toEqual([state]);
    expect(signInStep(state, { type: 'leave' })).toEqual([state]);
  });

  test('with the server away, another try begins anew', () => {
    const [state] = signInStep(loading, failed('unavailable'));
    expect(signInStep(state, { type: 'ask' })).toEqual([loading, { do: 'look' }]);
  });
});

describe('signing in', () => {
  test('by the button', () => {
    expect(signInStep(at('ready'), { type: 'ask' })).toEqual([at('working'), { do: 'ask' }]);
    expect(signInStep(at('working'), { type: 'ask' })).toEqual([at('working')]);
    expect(signInStep(at('working'), { type: 'chosen', response })).toEqual([
      at('verifying'),
      { do: 'complete', response },
    ]);
    expect(signInStep(at('verifying'), { type: 'accepted', redirectTo: '/x' })).toEqual([
      at('leaving'),
      { do: 'go', to: '/x' },
    ]);
  });

  test('by a passkey of the earlier RP ID, while customers move', () => {
    for (const from of [at('ready'), stopped('cancelled')])
      expect(signInStep(from, { type: 'askEarlier' })).toEqual([at('working'), { do: 'askEarlier' }]);
    expect(signInStep(at('working'), { type: 'askEarlier' })).toEqual([at('working')]);
  });

  test('by a suggestion, from every state that offers one', () => {
    for (const state of [at('ready'), stopped('cancelled'), stopped('other_organization')])
      expect(signInStep(state, { type: 'chosen', response })).toEqual([at('verifying'), { do: 'complete', response }]);
  });

  test.each(['unknown_passkey', 'other_organization'] as const)('%s: the page says so and stays usable', (reason) => {
    const [state, effect] = signInStep(at('verifying'), { type: 'refused', reason });
    expect([state, effect]).toEqual([{ name: 'stopped', why: reason, view }, undefined]);
    expect(signInStep(state, { type: 'ask' })).toEqual([at('working'), { do: 'ask' }]);
  });

  test('a reason that this page does not know counts as unknown', () => {
    expect(signInStep(at('verifying'), { type: 'refused', reason: 'new_reason' })[0]).toMatchObject({
      why: 'unknown_passkey',
    });
  });

  test('cancelled: suggestions again', () => {
    expect(signInStep(at('working'), failed('cancelled'))).toEqual([stopped('cancelled'), { do: 'offer' }]);
  });

  test.each(['ceremony_expired', 'passkey_invalid', 'unsuitable', 'insecure', 'rate_limited', 'unavailable'] as const)(
    '%s: goes on by a click alone',
    (kind) => {
      expect(signInStep(at('verifying'), failed(kind))).toEqual([{ name: 'stopped', why: kind, view }]);
    },
  );

  test('run out in the middle', () => {
    for (const name of ['ready', 'working', 'verifying', 'leaving'] as const)
      expect(signInStep(at(name), failed('not_found'))).toEqual([{ name: 'expired', view }]);
  });
});

describe('going back', () => {
  test('ends what is pending and tells the app', () => {
    for (const state of [at('ready'), at('working'), stopped('cancelled')])
      expect(signInStep(state, { type: 'leave' })).toEqual([at('leaving'), { do: 'cancel' }]);
    expect(signInStep(at('leaving'), { type: 'accepted', redirectTo: '/x' })).toEqual([
      at('leaving'),
      { do: 'go', to: '/x' },
    ]);
  });

  test('not while a sign-in is being verified, and nothing comes back from it', () => {
    expect(signInStep(at('verifying'), { type: 'leave' })).toEqual([at('verifying')]);
    expect(signInStep(at('leaving'), { type: 'chosen', response })).toEqual([at('leaving')]);
    expect(signInStep(at('leaving'), failed('cancelled'))).toEqual([at('leaving')]);
  });

  test('can be tried again with the server away', () => {
    const [state] = signInStep(at('leaving'), failed('unavailable'));
    expect(state).toEqual(stopped('unavailable'));
    expect(signInStep(state, { type: 'leave' })[1]).toEqual({ do: 'cancel' });
  });
});
