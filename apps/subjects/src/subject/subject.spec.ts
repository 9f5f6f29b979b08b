import { describe, expect, it } from '@jest/globals';
import type { Credential, SubjectState } from '@holdfast/contracts';
import { formForPeople, fullForm, summaryForm } from './subject.js';

const now = new Date('2026-11-21T09:00:00.000Z');
const before = '2026-11-21T08:59:59.999Z';
const after = '2026-11-21T09:00:00.001Z';
const id = '00000000-0000-4000-8000-000000000001';

const credential = (given: Partial<Credential>): Credential => ({
  id,
  credentialType: 'customer',
  status: 'offered',
  revocable: true,
  holderId: id,
  createdAt: before,
  ...given,
});
const state = (credentials: Credential[], offers: SubjectState['offers'] = []): SubjectState => ({
  subject: id,
  app: 'app_shop',
  createdAt: before,
  credentials,
  offers,
});
const offer = (status: 'open' | 'claimed' | 'withdrawn' | 'superseded', expiresAt: string) => ({
  id,
  credentialId: id,
  status,
  createdAt: before,
  expiresAt,
});

// product §5, "Fields, where one would guess".
describe('the summary of a customer', () => {
  it('counts every credential, unclaimed ones too', () => {
    expect(summaryForm(state([credential({}), credential({ status: 'revoked' })]), now).credentials).toBe(2);
  });

  it('counts as live only credentials that are issued and not expired', () => {
    const claimed = { issuedAt: before, holderClaimedAt: before };
    const all = [
      credential({ ...claimed, status: 'issued' }),
      credential({ ...claimed, status: 'issued', expiresAt: after }),
      credential({ ...claimed, status: 'issued', expiresAt: now.toISOString() }),
      credential({ ...claimed, status: 'issued', expiresAt: before }),
      credential({ ...claimed, status: 'suspended' }),
      credential({ ...claimed, status: 'revoked' }),
      credential({}),
    ];
    expect(summaryForm(state(all), now).live).toBe(2);
  });

  it('counts as open neither expired nor superseded nor withdrawn offers', () => {
    const offers = [
      offer('open', after),
      offer('open', now.toISOString()),
      offer('open', before),
      offer('superseded', after),
      offer('withdrawn', after),
      offer('claimed', after),
    ];
    expect(summaryForm(state([credential({})], offers), now).openOffers).toBe(1);
  });

  it('omits members that do not apply', () => {
    expect(summaryForm(state([credential({})]), now)).toEqual({
      subject: id,
      claimed: false,
      credentials: 1,
      live: 0,
      openOffers: 0,
      createdAt: before,
    });
  });

  it('has the time of the last claim of a credential', () => {
    const all = [
      credential({ status: 'issued', holderClaimedAt: before }),
      credential({ status: 'revoked', holderClaimedAt: after }),
    ];
    expect(summaryForm(state(all), now)).toMatchObject({ claimed: true, lastIssuedAt: after });
  });
});

it('names the app and the open offers of the customer only to people', () => {
  const one = state([credential({})], [offer('open', after), offer('open', before), offer('withdrawn', after)]);
  expect([formForPeople(one, now).app, summaryForm(one, now, true).app]).toEqual([one.app, one.app]);
  expect(formForPeople(one, now).offers).toEqual([expect.objectContaining({ expiresAt: after })]);
  const ofApps: object[] = [fullForm(one), summaryForm(one, now)];
  expect(ofApps.filter((form) => 'app' in form || 'offers' in form)).toEqual([]);
});

it('fullForm returns the subject of the specification', () => {
  const only = credential({});
  expect(fullForm(state([only], [offer('open', after)]))).toEqual({ subject: id, claimed: false, credentials: [only] });
});
