import { describe, expect, test } from '@jest/globals';
import type { SignedIn } from '../holdfast/sign-in.ts';
import { csrfMatches, idempotencyKey, keepSignIn, Sessions, takeSignIn } from './sessions.ts';

const ada: SignedIn = { issuer: 'http://localhost/o/acme', subject: 'ada', credential: {}, idToken: 't' };

describe('sessions', () => {
  test('end after eight hours', () => {
    let now = 0;
    const sessions = new Sessions(() => now);
    const { id, session } = sessions.open();
    expect(sessions.find(id)).toBe(session);
    now = 8 * 60 * 60 * 1000;
    expect(sessions.find(id)).toBeUndefined();
  });

  test('a sign-in has a new name, and the one before opens nothing', () => {
    const sessions = new Sessions();
    const planted = sessions.open();
    const { id, session } = sessions.signIn(planted.id, ada);
    expect(id).not.toBe(planted.id);
    expect(sessions.find(planted.id)).toBeUndefined();
    expect(sessions.find(id)?.customer).toBe(ada);
    expect(session.csrf).not.toBe(planted.session.csrf);
  });

  test('end with the one at Holdfast that they came of, and no other with them', () => {
    const sessions = new Sessions();
    const [one, two] = [
      sessions.signIn(undefined, { ...ada, sid: 'a' }),
      sessions.signIn(undefined, { ...ada, sid: 'b' }),
    ];
    sessions.end({ issuer: 'http://localhost/o/globex', subject: 'ada', sid: 'a' });
    expect(sessions.find(one.id)).toBeDefined();
    sessions.end({ issuer: ada.issuer, subject: 'ada', sid: 'a' });
    expect([one, two].map(({ id }) => sessions.find(id) !== undefined)).toEqual([false, true]);
  });

  test('all of a customer end, of the same issuer only', () => {
    const sessions = new Sessions();
    const [one, two] = [sessions.signIn(undefined, ada), sessions.signIn(undefined, ada)];
    const other = sessions.signIn(undefined, { ...ada, issuer: 'http://localhost/o/globex' });
    sessions.closeAllOf(ada.issuer, ada.subject);
    expect([one, two, other].map(({ id }) => sessions.find(id) !== undefined)).toEqual([false, false, true]);
  });
});

describe('a sign-in that has begun', () => {
  const begun = (n: number) => ({ codeVerifier: `v${n}`, nonce: `n${n}` });

  test('counts once, and only with its own state', () => {
    const { session } = new Sessions().open();
    keepSignIn(session, 'one', begun(1));
    expect(takeSignIn(session, 'other')).toBeUndefined();
    expect(takeSignIn(session, null)).toBeUndefined();
    expect(takeSignIn(undefined, 'one')).toBeUndefined();
    expect(takeSignIn(session, 'one')).toEqual(begun(1));
    expect(takeSignIn(session, 'one')).toBeUndefined();
  });

  test('gives way to newer ones', () => {
    const { session } = new Sessions().open();
    for (let n = 1; n <= 7; n++) keepSignIn(session, String(n), begun(n));
    expect([...session.signIns.keys()]).toEqual(['3', '4', '5', '6', '7']);
  });
});

test('only the form of this session passes', () => {
  const sessions = new Sessions();
  const [{ session: mine }, { session: other }] = [sessions.open(), sessions.open()];
  expect(csrfMatches(mine, mine.csrf)).toBe(true);
  for (const given of [other.csrf, '', null]) expect(csrfMatches(mine, given)).toBe(false);
  expect(csrfMatches(undefined, mine.csrf)).toBe(false);
});

test('the same form sent twice has one key; another browser, form or person has another', () => {
  const sessions = new Sessions();
  const [{ session: mine }, { session: other }] = [sessions.open(), sessions.open()];
  const keys = [
    idempotencyKey(mine, 'f', 'ada'),
    idempotencyKey(other, 'f', 'ada'),
    idempotencyKey(mine, 'g', 'ada'),
    idempotencyKey(mine, 'f', 'bob'),
    idempotencyKey(mine, 'fa', 'da'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(idempotencyKey(mine, 'f', 'ada')).toBe(keys[0]);
});
