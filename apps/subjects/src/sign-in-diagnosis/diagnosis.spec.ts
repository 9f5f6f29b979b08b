import { describe, expect, test } from '@jest/globals';
import type { Credential, SignInAttempt, SignInDiagnosis, Subject } from '@holdfast/contracts';
import { diagnosisOf } from './diagnosis.js';

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
const customer = (credentials: Credential[], offers: NonNullable<Subject['offers']> = []): Subject => ({
  subject: 's',
  claimed: true,
  credentials,
  offers,
});
const attempt = (result: SignInAttempt['result'], code?: string): SignInAttempt => ({
  occurredAt: past,
  app: 'app_1',
  result,
  ...(code !== undefined && { code }),
});
const offer = { offerId: 'o', credentialId: 'c2', createdAt: past, expiresAt: future };
const revoked = credential({ status: 'revoked', issuedAt: past, revokedAt: past, revokedReason: 'lost_device' });

describe('why a customer can or cannot sign in', () => {
  test.each<[string, Subject, SignInAttempt[], Partial<SignInDiagnosis>]>([
    [
      'waits for the claim',
      customer([credential({ status: 'offered' })], [offer]),
      [],
      { state: 'offer_open', at: future, credentialId: 'c2' },
    ],
    ['has no link any more', customer([credential({ status: 'offered' })]), [], { state: 'offer_ended' }],
    ['was revoked before the claim', customer([credential({ status: 'revoked' })]), [], { state: 'offer_ended' }],
    [
      'is suspended, with an offer',
      customer([credential({ status: 'suspended' })], [offer]),
      [],
      { state: 'suspended', credentialId: 'c' },
    ],
    [
      'has a revoked credential',
      customer([revoked]),
      [attempt('success')],
      { state: 'revoked', at: past, explanation: 'The credential was revoked (lost_device).' },
    ],
    ['has an offer after a revocation', customer([revoked], [offer]), [], { state: 'offer_open' }],
    ['has an expired credential', customer([credential({ expiresAt: past })]), [], { state: 'expired', at: past }],
    [
      'has a credential that expires now',
      customer([credential({ expiresAt: now.toISOString() })]),
      [],
      { state: 'expired' },
    ],
    ['has not signed in yet', customer([credential({ expiresAt: future })]), [], { state: 'never_signed_in' }],
    [
      'signs in, after a refusal and beside a suspended credential',
      customer([credential({ status: 'suspended' }), credential({ id: 'c3' })]),
      [attempt('success'), attempt('denied', 'no_live_credential')],
      { state: 'signs_in', at: past, credentialId: 'c3' },
    ],
    [
      'was refused for a known reason',
      customer([credential({})]),
      [attempt('denied', 'counter_went_back'), attempt('success')],
      { state: 'refused', at: past, remedy: 'Offer again. The claim replaces the passkey.' },
    ],
    [
      'was refused for another reason',
      customer([credential({})]),
      [attempt('failure', 'server_error')],
      { state: 'refused', explanation: 'The last attempt was refused: server_error.' },
    ],
  ])('%s', (_, given, attempts, expected) => {
    expect(diagnosisOf(given, attempts, now)).toMatchObject({ ...expected, customer: given });
  });

  test('gives the reason of each refused attempt that is known', () => {
    const attempts = [attempt('denied', 'no_live_credential'), attempt('denied', 'other'), attempt('success')];
    const { attempts: explained } = diagnosisOf(customer([credential({})]), attempts, now);
    expect(explained.map(({ reason }) => reason)).toEqual([expect.stringContaining('type'), undefined, undefined]);
  });
});
