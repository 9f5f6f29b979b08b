import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { neverGrantable, operationNames } from '@holdfast/contracts';
import { scopeIssue } from './scope-rule.js';

const granted = ['offers:write', 'issued:read'];

test.each([
  [undefined, 'is required'],
  ['', 'is required'],
  ['issued:read ', 'a space too many'],
  [' issued:read', 'a space too many'],
  ['x'.repeat(1001), 'longer than'],
  ['issued:manage', 'the app was not granted issued:manage'],
  ['no:such', 'there is no operation no:such'],
  ['roles:manage', 'for people only'],
])('%s', (asked, fault) => expect(scopeIssue(asked, granted)).toContain(fault));

test('what was granted, in any order', () => {
  expect(scopeIssue('issued:read offers:write', granted)).toBeUndefined();
  expect(scopeIssue('issued:read', granted)).toBeUndefined();
});

test('a scope is taken exactly when each of its names was granted', () => {
  const names = fc.subarray([...operationNames, ...neverGrantable], { minLength: 1 });
  fc.assert(
    fc.property(names, fc.subarray(operationNames), (asked, has) => {
      expect(scopeIssue(asked.join(' '), has) === undefined).toBe(
        asked.every((name) => (has as string[]).includes(name)),
      );
    }),
  );
});
