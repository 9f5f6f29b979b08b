import { describe, expect, it } from '@jest/globals';
import { eventUrisFor } from '@holdfast/contracts';
import type { EventCause } from '../feed/public-event.js';
import { securityEventsOf } from './security-events.js';

const issuer = 'https://id.example/o/acme';
const customer = { subject: 'customer-1', credentialId: 'credential-1', credentialType: 'member' };
const person = { user: 'person-1' };
const occurredAt = new Date('2026-11-25T10:00:00.500Z');

const of = (type: string, cause: EventCause = {}, data: object = customer) =>
  securityEventsOf({ type, occurredAt, data, cause }, issuer);
/** Name and change type of each. */
const namesOf = (...given: Parameters<typeof of>) =>
  of(...given).map(({ uri, claims }) => {
    const { change_type: change } = claims.events[uri] as { change_type?: string };
    return [uri.split('/').at(-1), ...(change === undefined ? [] : [change])].join(' ');
  });

describe('an event about a customer becomes', () => {
  it.each<[type: string, cause: EventCause, expected: string[]]>([
    ['offer.created', {}, []],
    ['offer.created', { recovers: true }, ['recovery-activated']],
    ['offer.expired', {}, []],
    ['credential.issued', { live: 1 }, ['credential-change create']],
    ['credential.renewed', { live: 1 }, ['credential-change update', 'token-claims-change']],
    ['credential.rekeyed', { live: 1 }, ['session-revoked', 'credential-change create']],
    ['credential.passkey_added', { live: 1 }, ['credential-change update']],
    ['credential.passkey_removed', { live: 1 }, ['credential-change update', 'session-revoked']],
    ['credential.suspended', { live: 1 }, ['credential-change update', 'session-revoked']],
    ['credential.suspended', { live: 0 }, ['credential-change update', 'session-revoked', 'account-disabled']],
    ['credential.resumed', { live: 1 }, ['account-enabled', 'credential-change update']],
    ['credential.resumed', { live: 2 }, ['credential-change update']],
    ['credential.revoked', { live: 2 }, ['credential-change revoke', 'session-revoked']],
    ['credential.revoked', { live: 0 }, ['credential-change revoke', 'session-revoked', 'account-disabled']],
    [
      'credential.revoked',
      { live: 0, compromised: true },
      ['credential-compromise', 'credential-change revoke', 'session-revoked', 'account-disabled'],
    ],
    ['credential.expired', { live: 1 }, ['credential-change delete', 'session-revoked']],
    ['subject.erased', {}, ['session-revoked', 'account-purged']],
    ['app.created', {}, []],
  ])('%s %j: %j', (type, cause, expected) => {
    expect(namesOf(type, cause)).toEqual(expected);
  });
});

it.each<[type: string, data: object, expected: string[]]>([
  ['user.deactivated', person, ['session-revoked', 'account-disabled']],
  ['user.reactivated', person, ['account-enabled']],
  ['user.removed', person, ['session-revoked', 'account-purged']],
  ['role.changed', { ...person, roles: ['auditor'] }, ['token-claims-change']],
  ['user.updated', person, []],
])('an event %s about a person becomes events for receivers of people', (type, data, expected) => {
  const events = of(type, {}, data);
  expect(namesOf(type, {}, data)).toEqual(expected);
  for (const { audience, uri, claims } of events) {
    expect(audience).toBe('people');
    expect(eventUrisFor('people')).toContain(uri);
    expect(claims.sub_id).toEqual({ format: 'iss_sub', iss: issuer, sub: 'person-1' });
  }
});

it('a CAEP event says when, who and why; an event of RISC only what RISC defines', () => {
  const [change, , disabled] = of('credential.suspended', { live: 0, actor: 'person' });
  expect(change).toEqual({
    part: 0,
    audience: 'customers',
    uri: 'https://schemas.openid.net/secevent/caep/event-type/credential-change',
    subject: 'customer-1',
    claims: {
      toe: 1_795_600_800,
      sub_id: { format: 'iss_sub', iss: issuer, sub: 'customer-1' },
      events: {
        'https://schemas.openid.net/secevent/caep/event-type/credential-change': {
          event_timestamp: 1_795_600_800,
          initiating_entity: 'admin',
          reason_admin: { en: 'The credential was suspended' },
          credential_type: 'fido2-platform',
          friendly_name: 'member',
          change_type: 'update',
        },
      },
    },
  });
  expect(Object.values(disabled!.claims.events)).toEqual([{}]);
});

it.each([
  ['credential.issued', 'customer', 'user'],
  ['credential.renewed', 'customer', 'system'],
  ['credential.suspended', 'app', 'admin'],
  ['credential.suspended', 'system', 'policy'],
  ['credential.expired', undefined, 'policy'],
] as const)('%s by %s was initiated by %s', (type, actor, expected) => {
  const [first] = of(type, actor ? { actor } : {});
  expect(Object.values(first!.claims.events)[0]).toMatchObject({ initiating_entity: expected });
});
