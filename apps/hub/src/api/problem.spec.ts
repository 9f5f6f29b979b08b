import { expect, test } from '@jest/globals';
import { Problem, problemOf } from './problem.ts';

test('problemOf keeps code, title, detail, request id, issues and the time to wait', () => {
  const body = {
    code: 'invalid_request',
    title: 'Not valid',
    detail: 'See errors',
    requestId: 'r1',
    errors: [{ pointer: '#/redirectUris/1', detail: 'must be https' }],
  };
  const problem = problemOf(422, body, '7');
  expect(problem).toMatchObject({ code: 'invalid_request', message: 'Not valid', requestId: 'r1', retryAfter: 7 });
  expect(problem.issueOf('redirectUris')).toBe('must be https');
  expect(problem.issueOf('name')).toBeUndefined();
});

test.each([null, undefined, 'text', 7, [], {}, { code: 5, errors: 'x', requestId: {} }])(
  'problemOf of %j is named by its status',
  (body) => expect(problemOf(502, body, 'soon')).toMatchObject({ code: 'http_502', issues: [], retryAfter: undefined }),
);

test.each(['missing_token', 'invalid_token'])('%s means that nobody is signed in', (code) => {
  expect(new Problem(code, '').isSignedOut).toBe(true);
  expect(new Problem('not_granted', '').isSignedOut).toBe(false);
});

test.each([
  ['unreachable', true],
  ['unavailable', true],
  ['http_502', true],
  ['http_404', false],
  ['conflict', false],
])('after %s the request may be repeated: %s', (code, isUncertain) => {
  expect(new Problem(code, '').isUncertain).toBe(isUncertain);
});
