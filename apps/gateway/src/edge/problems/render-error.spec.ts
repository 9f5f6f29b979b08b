import { describe, expect, it } from '@jest/globals';
import type { ErrorCode } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { newTrace } from '../trace.js';
import { renderError } from './render-error.js';

function render(error: AppError, errorForm: 'oauth' | 'problem') {
  const responseIds = { requestId: 'r1', trace: newTrace() };
  const { headers, body } = renderError(error, { responseIds, errorForm }, 'https://id.example');
  return { headers, body: JSON.parse(body) as Record<string, unknown> };
}

describe('renderError', () => {
  it('writes a problem document with the request id of the response', () => {
    const { headers, body } = render(new AppError('unavailable', undefined, { retryAfter: 1 }), 'problem');
    expect(headers).toEqual({ 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '1' });
    expect(body).toMatchObject({ code: 'unavailable', requestId: 'r1' });
  });

  it.each<[ErrorCode, string]>([
    ['invalid_request', 'invalid_request'],
    ['payload_too_large', 'invalid_request'],
    ['request_timeout', 'invalid_request'],
    ['rate_limited', 'temporarily_unavailable'],
    ['unavailable', 'temporarily_unavailable'],
    ['internal', 'server_error'],
  ])('writes %s as the OAuth error %s', (code, error) => {
    const { headers, body } = render(new AppError(code), 'oauth');
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual({ error, error_description: expect.any(String) });
  });

  it('writes a problem document on OAuth endpoints for a code that OAuth does not have', () => {
    expect(render(new AppError('unknown_organization'), 'oauth').body).toMatchObject({ code: 'unknown_organization' });
  });

  it('replaces characters that RFC 6749 does not allow in a description', () => {
    const { body } = render(new AppError('invalid_request', 'Send "a" or \\b\n.'), 'oauth');
    expect(body.error_description).toBe("Send 'a' or 'b'.");
  });
});
