import { describe, expect, test } from '@jest/globals';
import type { Session } from 'fastify';
import type { SignedIn } from '../holdfast/sign-in.ts';
import { addPendingSignIn, SessionStore, takePendingSignIn } from './session.ts';

const ada: SignedIn = { issuer: 'http://localhost/o/acme', subject: 'ada', claims: {}, idToken: 't' };
const newSession = (customer?: SignedIn): Session => ({
  cookie: { originalMaxAge: null },
  ...(customer && { customer }),
});

function stored(store: SessionStore, id: string): Session | null | undefined {
  let found: Session | null | undefined;
  store.get(id, (_, session) => (found = session));
  return found;
}

function storeWith(sessions: Record<string, SignedIn>): SessionStore {
  const store = new SessionStore();
  for (const [id, customer] of Object.entries(sessions)) store.set(id, newSession(customer), () => undefined);
  return store;
}

const idsIn = (store: SessionStore, ...ids: string[]): string[] => ids.filter((id) => stored(store, id));

describe('SessionStore', () => {
  test('returns a session until eight hours after it was created, however often it was saved since', () => {
    let now = 0;
    const store = new SessionStore(() => now);
    const session = newSession();
    store.set('a', session, () => undefined);
    now = 8 * 60 * 60 * 1000 - 1;
    store.set('a', session, () => undefined);
    expect(stored(store, 'a')).toBe(session);
    now += 1;
    expect(stored(store, 'a')).toBeNull();
  });

  test('revoke with a sid ends the session with that issuer and sid only', () => {
    const store = storeWith({ one: { ...ada, sid: 'a' }, two: { ...ada, sid: 'b' } });
    store.revoke({ issuer: 'http://localhost/o/globex', subject: 'ada', sid: 'a' });
    expect(idsIn(store, 'one', 'two')).toEqual(['one', 'two']);
    store.revoke({ issuer: ada.issuer, subject: 'ada', sid: 'a' });
    expect(idsIn(store, 'one', 'two')).toEqual(['two']);
  });

  test('revoke without a sid ends all sessions of the customer, of the same issuer only', () => {
    const store = storeWith({ one: ada, two: ada, other: { ...ada, issuer: 'http://localhost/o/globex' } });
    store.revoke({ issuer: ada.issuer, subject: ada.subject });
    expect(idsIn(store, 'one', 'two', 'other')).toEqual(['other']);
  });

  test('saving a revoked or destroyed session does not restore it', () => {
    const store = storeWith({ one: { ...ada, sid: 'a' }, two: { ...ada, sid: 'b' } });
    store.revoke({ issuer: ada.issuer, sid: 'a' });
    store.destroy('two', () => undefined);
    for (const id of ['one', 'two']) store.set(id, newSession(ada), () => undefined);
    expect(idsIn(store, 'one', 'two')).toEqual([]);
  });
});

describe('a pending sign-in', () => {
  const pending = (n: number) => ({ state: `s${n}`, codeVerifier: `v${n}`, nonce: `n${n}` });

  test('is found once, and only by its own state', () => {
    const session = newSession();
    expect(takePendingSignIn(session, 's1')).toBeUndefined();
    addPendingSignIn(session, pending(1));
    expect(takePendingSignIn(session, 'other')).toBeUndefined();
    expect(takePendingSignIn(session, undefined)).toBeUndefined();
    expect(takePendingSignIn(session, 's1')).toEqual(pending(1));
    expect(takePendingSignIn(session, 's1')).toBeUndefined();
  });

  test('is dropped when five newer ones were added', () => {
    const session = newSession();
    for (let n = 1; n <= 7; n++) addPendingSignIn(session, pending(n));
    expect(session.pendingSignIns?.map(({ state }) => state)).toEqual(['s3', 's4', 's5', 's6', 's7']);
  });
});
