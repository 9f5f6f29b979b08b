import { describe, expect, it } from '@jest/globals';
import { AppError } from '@holdfast/platform';
import { InsufficientScopeError, problemHeaders, problemOf } from './problem.js';

const baseUrl = 'https://id.example';
const metadata = 'resource_metadata="https://id.example/.well-known/oauth-protected-resource"';

describe('problemOf', () => {
  it('has the text of the catalogue when the error has no detail', () => {
    expect(problemOf(new AppError('unknown_subject'), 'r1', baseUrl)).toEqual({
      type: 'https://id.example/docs/errors#unknown_subject',
      title: expect.any(String),
      status: 404,
      detail: expect.any(String),
      instance: 'urn:holdfast:request:r1',
      code: 'unknown_subject',
      requestId: 'r1',
    });
  });

  it('has the validation issues, and neither targets nor origin of the error', () => {
    const errors = [{ parameter: 'limit', detail: 'must be a whole number from 1 to 200' }];
    const error = new AppError('invalid_request', 'Wrong limit.', {
      errors,
      targets: [{ type: 'customer', id: 'c1' }],
      origin: { dependency: 'postgres', cause: 'timeout' },
    });
    const problem = problemOf(error, 'r1', baseUrl);
    expect(problem).toMatchObject({ detail: 'Wrong limit.', errors });
    expect(JSON.stringify(problem)).not.toMatch(/c1|postgres/);
  });
});

describe('problemHeaders', () => {
  it.each([
    [new AppError('missing_token'), `Bearer realm="${baseUrl}", ${metadata}`],
    [new AppError('invalid_token'), `Bearer realm="${baseUrl}", error="invalid_token", ${metadata}`],
    [
      new InsufficientScopeError('issued:manage'),
      `Bearer realm="${baseUrl}", error="insufficient_scope", scope="issued:manage", ${metadata}`,
    ],
    [
      new AppError('step_up_required'),
      `Bearer realm="${baseUrl}", error="insufficient_user_authentication", max_age="600", ${metadata}`,
    ],
  ])('has the challenge of RFC 6750 or RFC 9470 for %s', (error, challenge) => {
    expect(problemHeaders(error, baseUrl)).toEqual({ 'www-authenticate': challenge });
  });

  it('has Retry-After when the error has one', () => {
    expect(problemHeaders(new AppError('unavailable', undefined, { retryAfter: 3 }), baseUrl)).toEqual({
      'retry-after': '3',
    });
  });

  it('closes the connection after a request that did not arrive in time', () => {
    expect(problemHeaders(new AppError('request_timeout'), baseUrl)).toEqual({ connection: 'close' });
  });
});
