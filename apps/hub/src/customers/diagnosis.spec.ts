import { describe, expect, test } from '@jest/globals';
import type { Credential, Customer, HistoryEntry } from './customer-queries.ts';
import { diagnosisOf } from './diagnosis.ts';

const now = new Date('2026-11-21T09:00:00.000Z');
const past = '2026-11-20T09:00:00.000Z';
const future = '2026-11-22T09:00:00.000Z';

const credential = (members: Partial<Credential>): Credential => ({
  id: 'c',
  credentialType: 'customer',
  status: 'issued',
  revocable: true,
  holderId: 's',
  createdAt: past,
  ...members,
});
const customer = (credentials: Credential[], offers: NonNullable<Customer['offers']> = []): Customer => ({
  subject: 's',
  claimed: true,
  credentials,
  offers,
});
const attempt = (outcome: HistoryEntry['outcome']) =>
  ({
    action: 'customer.sign_in',
    occurredAt: past,
    outcome,
    targets: [{ type: 'app', id: 'app_1' }],
  }) as HistoryEntry;
const offer = { offerId: 'o', credentialId: 'c', createdAt: past, expiresAt: future };

describe('why a customer can or cannot sign in', () => {
  test.each<[string, Customer, HistoryEntry[], object]>([
    ['waits for the claim', customer([credential({ status: 'offered' })], [offer]), [], { kind: 'waiting' }],
    ['has no link any more', customer([credential({ status: 'offered' })]), [], { kind: 'offerEnded' }],
    ['is suspended', customer([credential({ status: 'suspended' })]), [], { kind: 'suspended' }],
    [
      'has a revoked credential',
      customer([credential({ status: 'revoked', issuedAt: past, revokedReason: 'lost_device' })]),
      [],
      { kind: 'revoked', reason: 'lost_device' },
    ],
    ['has a withdrawn offer only', customer([credential({ status: 'revoked' })]), [], { kind: 'offerEnded' }],
    ['has an expired credential', customer([credential({ expiresAt: past })]), [], { kind: 'expired', at: past }],
    ['expires this second', customer([credential({ expiresAt: now.toISOString() })]), [], { kind: 'expired' }],
    ['has never signed in', customer([credential({ expiresAt: future })]), [], { kind: 'neverSignedIn' }],
    [
      'signs in',
      customer([credential({})]),
      [attempt({ result: 'success', status: 303 }), attempt({ result: 'denied', status: 400, code: 'x' })],
      { kind: 'signsIn', at: past, app: 'app_1' },
    ],
    [
      'was refused',
      customer([credential({})]),
      [attempt({ result: 'denied', status: 400, code: 'no_live_credential' })],
      { kind: 'refused', code: 'no_live_credential', app: 'app_1' },
    ],
    [
      'has one live credential beside a suspended one',
      customer([credential({ status: 'suspended' }), credential({})]),
      [],
      { kind: 'neverSignedIn' },
    ],
  ])('who %s', (_, who, history, expected) => {
    expect(diagnosisOf(who, history, now)).toMatchObject(expected);
  });
});
