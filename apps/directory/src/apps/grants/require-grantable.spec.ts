import { expect, test } from '@jest/globals';
import { adminOperations, appKinds, customerScopes, neverGrantable, operationNames } from '@holdfast/contracts';
import { requireGrantable } from './require-grantable.js';

const customer = Object.keys(customerScopes);
const admin = Object.keys(adminOperations);

test('a service app may hold all operations, a web app the three customer scopes, a public app none', () => {
  expect(requireGrantable('service', operationNames)).toEqual(operationNames);
  expect(requireGrantable('web', customer)).toEqual(customer);
  for (const name of admin)
    expect(() => requireGrantable('web', [name])).toThrow(
      `${name} cannot be granted to a web app. A web app may be granted: offers:write, issued:read, issued:manage.`,
    );
  for (const name of operationNames)
    for (const kind of ['spa', 'native'] as const)
      expect(() => requireGrantable(kind, [name])).toThrow('can be granted no operation');
});

test('an operation for people only is granted to no app, not even among grantable ones', () => {
  for (const kind of appKinds)
    for (const name of neverGrantable)
      expect(() => requireGrantable(kind, [...(kind === 'service' ? admin : []), name])).toThrow(
        `${name} is for people only`,
      );
});

test('an operation that does not exist is named in the error', () => {
  expect(() => requireGrantable('service', ['users:write'])).toThrow('There is no operation "users:write".');
  expect(() => requireGrantable('service', ['__proto__'])).toThrow('There is no operation');
});

test('a repeated operation is granted once', () =>
  expect(requireGrantable('web', ['offers:write', 'offers:write'])).toEqual(['offers:write']));
