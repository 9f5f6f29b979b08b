import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AccessEntry } from '@holdfast/contracts';
import {
  personRevocationReason,
  revocationReason,
  type PersonTokenOrigin,
  type TokenOrigin,
} from './revocation-rule.js';

const token: TokenOrigin = { client_id: 'app_1', org: 'acme', client_version: 5, secret_id: 'sec_1' };
const app: AccessEntry = {
  seq: 1,
  kind: 'app',
  id: 'app_1',
  disabled: false,
  minVersion: 5,
  revokedSecrets: ['sec_0'],
};
const organization: AccessEntry = {
  seq: 1,
  kind: 'organization',
  id: 'acme',
  disabled: false,
  minVersion: 0,
  revokedSecrets: [],
};

test.each([
  ['nothing has changed', undefined, undefined, undefined],
  ['changes that do not concern it', app, organization, undefined],
  ['the organization is suspended', undefined, { ...organization, disabled: true }, 'organization suspended'],
  ['the app is disabled', { ...app, disabled: true }, undefined, 'app disabled'],
  ['issued before rights were reduced', { ...app, minVersion: 6 }, organization, 'rights reduced'],
  ['its secret is revoked', { ...app, revokedSecrets: ['sec_1'] }, organization, 'secret revoked'],
])('%s', (_, appEntry, orgEntry, reason) => {
  expect(revocationReason(token, appEntry, orgEntry)).toBe(reason);
});

test('a token without a secret stays valid when secrets are revoked', () => {
  const { secret_id: _, ...other } = token;
  expect(revocationReason(other, { ...app, revokedSecrets: ['sec_1'] })).toBeUndefined();
});

const entry = (kind: AccessEntry['kind']): fc.Arbitrary<AccessEntry> =>
  fc.record({
    seq: fc.nat(),
    kind: fc.constant(kind),
    id: fc.constant('x'),
    disabled: fc.boolean(),
    minVersion: fc.integer({ min: 0, max: 10 }),
    revokedSecrets: fc.subarray(['sec_1', 'sec_2', 'sec_3']),
  });
const origin = fc.record({
  client_id: fc.constant('x'),
  org: fc.constant('acme'),
  client_version: fc.integer({ min: 0, max: 10 }),
  secret_id: fc.constantFrom('sec_1', 'sec_2', 'sec_3'),
});

test('a token is revoked if and only if organization, app, version or secret revokes it', () => {
  fc.assert(
    fc.property(origin, entry('app'), entry('organization'), (t, a, o) => {
      const reasons = [o.disabled, a.disabled, t.client_version < a.minVersion, a.revokedSecrets.includes(t.secret_id)];
      expect(revocationReason(t, a, o) !== undefined).toBe(reasons.some(Boolean));
    }),
  );
});

test('a stricter entry never makes a revoked token valid', () => {
  fc.assert(
    fc.property(origin, entry('app'), entry('organization'), fc.nat(5), fc.boolean(), (t, a, o, more, disabled) => {
      const stricter = {
        ...a,
        disabled: a.disabled || disabled,
        minVersion: a.minVersion + more,
        revokedSecrets: [...a.revokedSecrets, 'sec_3'],
      };
      if (revocationReason(t, a, o)) expect(revocationReason(t, stricter, o)).toBeDefined();
    }),
  );
});

const ofPerson: PersonTokenOrigin = { sub: 'p', client_id: 'hub_acme', org: 'acme', person_version: 5 };
const person: AccessEntry = { ...organization, kind: 'person', id: 'p', minVersion: 5 };

test.each([
  ['nothing has changed', undefined, undefined, undefined, undefined],
  ['changes that do not concern it', person, app, organization, undefined],
  ['the person is deactivated', { ...person, disabled: true }, undefined, undefined, 'person deactivated'],
  ['issued before roles were taken', { ...person, minVersion: 6 }, undefined, undefined, 'rights reduced'],
  ['the hub is disabled', person, { ...app, disabled: true }, undefined, 'app disabled'],
  ['the organization is suspended', person, app, { ...organization, disabled: true }, 'organization suspended'],
])('a person token: %s', (_, personEntry, hubEntry, orgEntry, reason) => {
  expect(personRevocationReason(ofPerson, personEntry, hubEntry, orgEntry)).toBe(reason);
});
