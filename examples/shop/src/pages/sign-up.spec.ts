import { expect, test } from '@jest/globals';
import { validationIssue } from './sign-up.ts';

test('validationIssue names the field that is missing or malformed', () => {
  expect(validationIssue({ name: 'Ada', email: 'ada@example.com' })).toBeUndefined();
  expect(validationIssue({ name: '', email: 'ada@example.com' })).toContain('name');
  expect(validationIssue({ name: 'Ada', email: 'ada' })).toContain('e-mail');
});
