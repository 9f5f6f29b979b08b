import { describe, expect, test } from '@jest/globals';
import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import { Failed, type FailureKind } from '../browser/failure.ts';
import { signInStep, type SignInEvent, type SignInState } from './sign-in-state.ts';

const view = { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'Shop' } };
const response = { id: 'AA' } as AuthenticationResponseJSON;
const failed = (kind: FailureKind): SignInEvent => ({ type: 'failed', failure: new Failed(kind) });
const loading: SignInState = { name: 'loading' };
const at = (name: 'ready' | 'preparing' | 'working' | 'verifying' | 'leaving'): SignInState => ({ name, view });
const stopped = (why: 'cancelled' | 'other_organization' | 'unavailable'): SignInState => ({
  name: 'stopped',
  why,
  view,
});

describe('on load', () => {
  test('the browser suggests passkeys', () => {
    expect(signInStep(loading, { type: 'opened' })).toEqual([loading, { do: 'load' }]);
    expect(signInStep(loading, { type: 'loaded', view, webAuthnSupport: 'supported' })).toEqual([
      at('ready'),
      { do: 'suggest' },
    ]);
  });

  test.each(['unsupported', 'insecure'] as const)(
    'when passkeys are %s, no ceremony begins and the customer can go back to the app',
    (webAuthnSupport) => {
      const [state, effect] = signInStep(loading, { type: 'loaded', view, webAuthnSupport });
      expect([state, effect]).toEqual([{ name: webAuthnSupport, view }, undefined]);
      expect(signInStep(state, { type: 'signIn' })).toEqual([state]);
      expect(signInStep(state, { type: 'leave' })).toEqual([at('leaving'), { do: 'cancel' }]);
    },
  );

  test('a sign-in that has ended is shown as expired and stays expired', () => {
    const [state] = signInStep(loading, failed('not_found'));
    expect(state).toEqual({ name: 'expired' });
    expect(signInStep(state, { type: 'signIn' })).toEqual([state]);
    expect(signInStep(state, { type: 'leave' })).toEqual([state]);
  });

  test('after an unavailable server, another attempt loads the sign-in again', () => {
    const [state] = signInStep(loading, failed('unavailable'));
    expect(signInStep(state, { type: 'signIn' })).toEqual([loading, { do: 'load' }]);
  });
});

describe('signing in', () => {
  test('the button opens the dialogue', () => {
    expect(signInStep(at('ready'), { type: 'signIn' })).toEqual([at('preparing'), { do: 'authenticate' }]);
    expect(signInStep(at('working'), { type: 'signIn' })).toEqual([at('working')]);
    expect(signInStep(at('working'), { type: 'responded', response })).toEqual([
      at('verifying'),
      { do: 'complete', response },
    ]);
    expect(signInStep(at('verifying'), { type: 'accepted', redirectTo: '/x' })).toEqual([
      at('leaving'),
      { do: 'redirect', to: '/x' },
    ]);
  });

  test('the second button opens the dialogue for passkeys of the earlier RP ID', () => {
    for (const from of [at('ready'), stopped('cancelled')])
      expect(signInStep(from, { type: 'signInEarlier' })).toEqual([at('preparing'), { do: 'authenticateEarlier' }]);
    expect(signInStep(at('working'), { type: 'signInEarlier' })).toEqual([at('working')]);
  });

  test('a suggestion is accepted in every state with suggestions', () => {
    for (const state of [at('ready'), stopped('cancelled'), stopped('other_organization')])
      expect(signInStep(state, { type: 'responded', response })).toEqual([
        at('verifying'),
        { do: 'complete', response },
      ]);
  });

  test.each(['unknown_passkey', 'other_organization', 'counter_went_back', 'deactivated', 'not_assigned'] as const)(
    '%s is shown, and the page stays usable',
    (reason) => {
      const [state, effect] = signInStep(at('verifying'), { type: 'rejected', reason });
      expect([state, effect]).toEqual([{ name: 'stopped', why: reason, view }, { do: 'prepare' }]);
      expect(signInStep(state, { type: 'signIn' })).toEqual([at('preparing'), { do: 'authenticate' }]);
    },
  );

  test('an unknown reason counts as an unknown passkey', () => {
    expect(signInStep(at('verifying'), { type: 'rejected', reason: 'new_reason' })[0]).toMatchObject({
      why: 'unknown_passkey',
    });
  });

  test('after a cancellation the browser suggests passkeys again', () => {
    expect(signInStep(at('working'), failed('cancelled'))).toEqual([stopped('cancelled'), { do: 'suggest' }]);
  });

  test.each(['ceremony_expired', 'passkey_invalid', 'unsuitable', 'insecure', 'rate_limited', 'unavailable'] as const)(
    'after %s only a click starts another ceremony',
    (kind) => {
      const [state, effect] = signInStep(at('verifying'), failed(kind));
      expect(state).toEqual({ name: 'stopped', why: kind, view });
      expect([undefined, 'prepare']).toContain(effect?.do);
    },
  );

  test('shows the dialogue only once it opens, and can be stopped at any time', () => {
    expect(signInStep(at('preparing'), { type: 'dialogue' })).toEqual([at('working')]);
    expect(signInStep(at('verifying'), { type: 'dialogue' })).toEqual([at('verifying')]);
    for (const name of ['preparing', 'working'] as const)
      expect(signInStep(at(name), { type: 'stop' })).toEqual([at('ready'), { do: 'suggest' }]);
    expect(signInStep(at('verifying'), { type: 'stop' })).toEqual([at('verifying')]);
  });

  test('a sign-in that ends during a ceremony is shown as expired', () => {
    for (const name of ['ready', 'working', 'verifying', 'leaving'] as const)
      expect(signInStep(at(name), failed('not_found'))).toEqual([{ name: 'expired', view }]);
  });
});

describe('going back to the app', () => {
  test('ends the pending ceremony and cancels the sign-in', () => {
    for (const state of [at('ready'), at('working'), stopped('cancelled')])
      expect(signInStep(state, { type: 'leave' })).toEqual([at('leaving'), { do: 'cancel' }]);
    expect(signInStep(at('leaving'), { type: 'accepted', redirectTo: '/x' })).toEqual([
      at('leaving'),
      { do: 'redirect', to: '/x' },
    ]);
  });

  test('is not possible while a response is verified, and a late failure changes nothing', () => {
    expect(signInStep(at('verifying'), { type: 'leave' })).toEqual([at('verifying')]);
    expect(signInStep(at('leaving'), { type: 'responded', response })).toEqual([at('leaving')]);
    expect(signInStep(at('leaving'), failed('cancelled'))).toEqual([at('leaving')]);
  });

  test('can be repeated after an unavailable server', () => {
    const [state] = signInStep(at('leaving'), failed('unavailable'));
    expect(state).toEqual(stopped('unavailable'));
    expect(signInStep(state, { type: 'leave' })[1]).toEqual({ do: 'cancel' });
  });
});
