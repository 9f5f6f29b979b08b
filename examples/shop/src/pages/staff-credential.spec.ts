import { expect, test } from '@jest/globals';
import type { Credential } from '../holdfast/credentials-api.ts';
import { actionsOn, credentialBadge } from './staff-credential.ts';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const credential = (more: Partial<Credential>): Credential => ({
  id: 'c',
  credentialType: 'customer',
  status: 'issued',
  revocable: true,
  createdAt: '',
  ...more,
});

test.each([
  [{}, 'Works'],
  [{ expiresAt: '2026-11-21T10:00:00.001Z' }, 'Works'],
  [{ expiresAt: '2026-11-21T10:00:00.000Z' }, 'Expired'],
  [{ status: 'suspended' as const, expiresAt: '2026-11-21T09:00:00.000Z' }, 'Suspended'],
  [{ status: 'revoked' as const }, 'Revoked'],
  [{ status: 'offered' as const }, 'Offered, not claimed'],
])('the badge of a credential with %j says %s', (more, text) => {
  expect(credentialBadge(credential(more), now).text).toBe(text);
});

test.each([
  [{}, ['suspend', 'revoke']],
  [{ status: 'suspended' as const }, ['resume', 'revoke']],
  [{ status: 'revoked' as const }, []],
  [{ status: 'offered' as const }, []],
  [{ revocable: false }, []],
])('the actions on a credential with %j are %j', (more, actions) => {
  expect(actionsOn(credential(more))).toEqual(actions);
});
