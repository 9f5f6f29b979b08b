import { expect, test } from '@jest/globals';
import { emptyType, termsOf, valuesOfType } from './credential-type-values.ts';

test('the values of a credential type become the same type again', () => {
  const terms = { display: 'Member', validity: 'P1Y', renewalWindow: 'P30D', maxPasskeys: 3, revocable: false };
  expect(termsOf(valuesOfType({ name: 'member', holders: ['passkey'], isDefault: true, ...terms }))).toEqual({
    ...terms,
    isDefault: true,
  });
});

test('an empty form leaves out what has no value', () => {
  expect(termsOf({ ...emptyType, display: ' Customer ' })).toEqual({
    display: 'Customer',
    maxPasskeys: 10,
    revocable: true,
  });
});
