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
])('the scope %p is denied: %s', (requested, issue) => expect(scopeIssue(requested, granted)).toContain(issue));

test('granted operations are accepted in any order', () => {
  expect(scopeIssue('issued:read offers:write', granted)).toBeUndefined();
  expect(scopeIssue('issued:read', granted)).toBeUndefined();
});

test('a scope is accepted exactly when each of its names was granted', () => {
  const names = fc.subarray([...operationNames, ...neverGrantable], { minLength: 1 });
  fc.assert(
    fc.property(names, fc.subarray(operationNames), (requested, has) => {
      expect(scopeIssue(requested.join(' '), has) === undefined).toBe(
        requested.every((name) => (has as string[]).includes(name)),
      );
    }),
  );
});
