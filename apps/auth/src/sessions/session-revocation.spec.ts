import { describe, expect, test } from '@jest/globals';
import { eventTypes, streams, type CustomerEvent, type EventType } from '@holdfast/contracts';
import { revocationsOf, signedInBy } from './session-revocation.js';

const event = (type: EventType, data?: CustomerEvent['data']) =>
  ({
    id: 'e',
    type,
    occurredAt: '2026-11-21T09:30:00.000Z',
    org: 'acme',
    subject: 's',
    version: 7,
    requestId: 'r',
    traceparent: 't',
    ...(data && { data }),
  }) as CustomerEvent;
const data = { subject: 's', credentialId: 'c', credentialType: 'membership' };
const ofCustomer = { org: 'acme', subject: 's', version: 7, erased: false, at: '2026-11-21T09:30:00.000Z' };

describe('session revocations of events', () => {
  test('suspension, revocation and expiration concern sign-ins with that credential', () => {
    const types = ['credential.suspended', 'credential.revoked', 'credential.expired'] as const;
    expect(revocationsOf(types.map((type) => event(type, data)))).toEqual(
      types.map(() => ({ ...ofCustomer, credential: 'c' })),
    );
  });

  test('a replaced passkey, an erasure and an event without credential concern every sign-in of the customer', () => {
    expect(
      revocationsOf([
        event('credential.rekeyed', data),
        event('subject.erasure_started'),
        event('subject.erased', { subject: 's' }),
        event('credential.revoked'),
      ]),
    ).toEqual([ofCustomer, { ...ofCustomer, erased: true }, { ...ofCustomer, erased: true }, ofCustomer]);
  });

  test('every event that replaces passkeys concerns every sign-in of the customer', () => {
    expect(revocationsOf([{ ...event('credential.issued', data), replacesPasskeys: true }])).toEqual([ofCustomer]);
  });

  test('a removed passkey concerns the sign-ins with it', () => {
    expect(revocationsOf([{ ...event('credential.passkey_removed', data), removedPasskey: 'p' }])).toEqual([
      { ...ofCustomer, passkey: 'p' },
    ]);
  });

  test('no other event of the catalogue revokes sessions', () => {
    const revoking = [
      'credential.suspended',
      'credential.revoked',
      'credential.expired',
      'credential.rekeyed',
      'subject.erasure_started',
      'subject.erased',
    ];
    const others = (Object.keys(eventTypes) as EventType[]).filter((type) => !revoking.includes(type));
    expect(others.length).toBeGreaterThan(8);
    expect(revocationsOf(others.map((type) => event(type, data)))).toEqual([]);
  });

  test('auth gets every event that can revoke sessions, and none about offers', () => {
    const prefixes = streams.issuance.filters.auth!.map((type) => type.replace(/>$/, ''));
    const missed = (Object.entries(eventTypes) as [EventType, { producer: string }][])
      .filter(([type, { producer }]) => producer === 'issuance' && !prefixes.some((prefix) => type.startsWith(prefix)))
      .map(([type]) => type);
    expect(missed).toEqual(expect.arrayContaining(['offer.created', 'offer.withdrawn', 'offer.expired']));
    expect(revocationsOf(missed.map((type) => event(type, data)))).toEqual([]);
  });
});

test('apps of a customer are found once each, by sessions, then tokens, then grants', () => {
  const stored = [
    { model: 'Session', payload: { authorizations: { app_1: { sid: 'a', grantId: 'g' }, app_2: { sid: 'b' } } } },
    { model: 'RefreshToken', payload: { clientId: 'app_1', sid: 'a' } },
    { model: 'AccessToken', payload: { clientId: 'app_1', sid: 'old' } },
    { model: 'RefreshToken', payload: { clientId: 'app_3' } },
    { model: 'Grant', payload: { clientId: 'app_4' } },
    { model: 'Grant', payload: { clientId: 'app_3' } },
    { model: 'Session', payload: {} },
  ] as unknown as Parameters<typeof signedInBy>[0];
  expect(signedInBy(stored)).toEqual([
    { clientId: 'app_1', sid: 'a' },
    { clientId: 'app_2', sid: 'b' },
    { clientId: 'app_1', sid: 'old' },
    { clientId: 'app_3' },
    { clientId: 'app_4' },
  ]);
});
