import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  authorizationUrl,
  fromCookie,
  isAnswerTo,
  newSignIn,
  proofOf,
  signInCookieForm,
  toCookie,
} from './hub-sign-in.js';

const base = 'https://id.example';
const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

test('the request to the issuer has state, nonce and a challenge, and the cookie proves all of them', () => {
  const signIn = newSignIn('/hub/acme/people');
  const { state, code_challenge, nonce, ...rest } = queryOf(authorizationUrl(base, 'acme', signIn, 600));
  expect(rest).toEqual({
    response_type: 'code',
    client_id: 'hub_acme',
    redirect_uri: 'https://id.example/hub/acme/callback',
    scope: 'openid',
    code_challenge_method: 'S256',
    max_age: '600',
  });
  const cookie = toCookie(signIn);
  expect(cookie).toMatch(signInCookieForm);
  const read = fromCookie(cookie);
  expect([read, isAnswerTo(read, state!), proofOf(read).nonce]).toEqual([signIn, true, nonce]);
  const { codeVerifier } = proofOf(read);
  expect(codeVerifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(createHash('sha256').update(codeVerifier).digest('base64url')).toBe(code_challenge);
});

test('nothing in the address reveals the secret, and no two sign-ins have a value in common', () => {
  const [one, two] = [newSignIn('/hub/acme'), newSignIn('/hub/acme')];
  const [first, second] = [one, two].map((signIn) => queryOf(authorizationUrl(base, 'acme', signIn, undefined)));
  expect(JSON.stringify(first)).not.toContain(one.secret);
  expect(new Set([first, second].flatMap((query) => [query!.state, query!.nonce, query!.code_challenge])).size).toBe(6);
  expect(isAnswerTo(one, second!.state!)).toBe(false);
  expect(first!.max_age).toBeUndefined();
});
