import { expect, test } from '@jest/globals';
import type { Credential } from '../holdfast/credentials-api.ts';
import type { Visit } from '../web/visit.ts';
import { changesOf, stateOfCredential } from './staff-credential.ts';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const credential = (more: Partial<Credential>): Credential => ({
  id: 'c',
  credentialType: 'customer',
  status: 'issued',
  revocable: true,
  createdAt: '',
  ...more,
});
const visit = { shop: { settings: { path: '/acme' } }, session: { csrf: 'x' } } as unknown as Visit;
const deeds = (more: Partial<Credential>) =>
  [...(changesOf(visit, 's', credential(more))?.text ?? '').matchAll(/credentials\/c\/([a-z]+)"/g)].map(
    ([, act]) => act,
  );

test.each([
  [{}, 'Works'],
  [{ expiresAt: '2026-11-21T10:00:00.001Z' }, 'Works'],
  [{ expiresAt: '2026-11-21T10:00:00.000Z' }, 'Ended'],
  [{ status: 'suspended' as const, expiresAt: '2026-11-21T09:00:00.000Z' }, 'Suspended'],
  [{ status: 'revoked' as const }, 'Revoked'],
  [{ status: 'offered' as const }, 'Offered'],
])('%j is shown as %s', (more, words) => {
  expect(stateOfCredential(credential(more), now).text).toContain(words);
});

test.each([
  [{}, ['suspend', 'revoke']],
  [{ status: 'suspended' as const }, ['resume', 'revoke']],
  [{ status: 'revoked' as const }, []],
  [{ status: 'offered' as const }, []],
  [{ revocable: false }, []],
])('of %j staff can %j', (more, acts) => {
  expect(deeds(more)).toEqual(acts);
});
