import { expect, test } from '@jest/globals';
import type { App } from '@holdfast/contracts';
import { keyedHash } from '@holdfast/platform';
import { matchSecret, toClientRecord } from './client-record.js';

const pepper = Buffer.alloc(32, 1);
const app: App = {
  clientId: 'app_1',
  org: 'acme',
  name: 'Shop',
  kind: 'web',
  audience: 'customers',
  redirectUris: [],
  postLogoutRedirectUris: [],
  origins: [],
  refreshTokens: true,
  pkce: 'required',
  scopes: ['offers:write'],
  disabled: false,
  apiVersion: '2026-11-01',
  version: 1,
  createdAt: '2026-11-21T09:30:00.000Z',
};
const hashed = (id: string, secret: string) => ({ id, hash: keyedHash(pepper, secret).toString('base64url') });
const both = [hashed('sec_1', 'one'), hashed('sec_2', 'two')];
const record = toClientRecord({ app, secrets: both, orgSuspended: false });

test('either live secret matches, and its id is returned', () => {
  expect(['one', 'two', 'three', ''].map((secret) => matchSecret([pepper], secret, record)?.id)).toEqual([
    'sec_1',
    'sec_2',
    undefined,
    undefined,
  ]);
});

test('nothing matches for a client that is unknown, disabled, suspended or without secrets', () => {
  const others = [
    undefined,
    toClientRecord({ app: { ...app, disabled: true }, secrets: both, orgSuspended: false }),
    toClientRecord({ app, secrets: both, orgSuspended: true }),
    toClientRecord({ app, secrets: [], orgSuspended: false }),
  ];
  for (const other of others) expect(matchSecret([pepper], 'one', other)).toBeUndefined();
});

test('nothing matches with another pepper', () => {
  expect(matchSecret([Buffer.alloc(32, 2)], 'one', record)).toBeUndefined();
});

test('a secret that is stored under the other pepper of a rotation matches, and is outdated', () => {
  const next = Buffer.alloc(32, 2);
  expect(matchSecret([next, pepper], 'two', record)).toEqual({ id: 'sec_2', isOutdated: true });
  expect(matchSecret([pepper, next], 'two', record)).toEqual({ id: 'sec_2', isOutdated: false });
});

test('grants that the kind of the app can never hold are left out', () => {
  const scopes: App['scopes'] = ['offers:write', 'users:read'];
  expect(toClientRecord({ app: { ...app, scopes }, secrets: [], orgSuspended: false }).scopes).toEqual([
    'offers:write',
  ]);
  expect(toClientRecord({ app: { ...app, kind: 'service', scopes }, secrets: [], orgSuspended: false }).scopes).toEqual(
    scopes,
  );
  expect(toClientRecord({ app: { ...app, kind: 'spa', scopes }, secrets: [], orgSuspended: false }).scopes).toEqual([]);
});
