import { expect, test } from '@jest/globals';
import { matches } from './filter.js';

const entry = (action: 'app.create' | 'app.secret.create' | 'access_request.list', result: 'success' | 'denied') => ({
  action,
  outcome: { result },
});

test.each([
  ['no filter', null, entry('app.create', 'denied'), true],
  ['its action', { actions: ['app.create'] }, entry('app.create', 'success'), true],
  ['another action', { actions: ['app.delete'] }, entry('app.create', 'success'), false],
  ['the beginning of its action', { actions: ['app.*'] }, entry('app.secret.create', 'success'), true],
  ['a beginning without the dot', { actions: ['app.*'] }, entry('access_request.list', 'success'), false],
  ['the beginning without a star', { actions: ['app'] }, entry('app.create', 'success'), false],
  ['its outcome', { outcomes: ['denied' as const] }, entry('app.create', 'denied'), true],
  ['another outcome', { outcomes: ['denied' as const] }, entry('app.create', 'success'), false],
  [
    'its action with another outcome',
    { actions: ['app.*'], outcomes: ['denied' as const] },
    entry('app.create', 'success'),
    false,
  ],
])('an entry and a filter of %s', (_, filter, event, result) => expect(matches(filter, event)).toBe(result));
