import { describe, expect, it } from '@jest/globals';
import { readTurnstileResponse, turnstileExpiration } from './turnstile-response.js';

const now = new Date('2026-11-21T12:00:00.000Z');
const app = {
  redirectUris: ['https://shop.example:8443/callback', 'com.example.app:/in'],
  origins: ['https://www.shop.example'],
};
const valid = {
  success: true,
  challenge_ts: '2026-11-21T11:58:00.000Z',
  hostname: 'shop.example',
  action: 'offer',
  'error-codes': [],
};

describe('a response of Turnstile', () => {
  it.each([[valid], [{ ...valid, hostname: 'www.shop.example' }], [{ ...valid, metadata: { ephemeral_id: 'x' } }]])(
    'is valid for five minutes: %j',
    (response) => {
      expect(turnstileExpiration(response, app, now)).toEqual(new Date('2026-11-21T12:03:00.000Z'));
    },
  );

  it.each([
    ['presence_invalid', { ...valid, hostname: 'evil.example' }],
    ['presence_invalid', { ...valid, hostname: 'sub.shop.example' }],
    ['presence_invalid', { ...valid, hostname: '' }],
    ['presence_invalid', { ...valid, action: 'login' }],
    ['presence_invalid', { ...valid, action: undefined }],
    ['presence_expired', { ...valid, challenge_ts: '2026-11-21T11:55:00.000Z' }],
    ['presence_unavailable', { ...valid, challenge_ts: undefined }],
    ['presence_unavailable', { ...valid, hostname: undefined }],
    ['presence_invalid', { success: false, 'error-codes': ['invalid-input-response'] }],
    ['presence_invalid', { success: false, 'error-codes': ['missing-input-response'] }],
    ['presence_expired', { success: false, 'error-codes': ['timeout-or-duplicate'] }],
    ['presence_unavailable', { success: false, 'error-codes': ['missing-input-secret'] }],
    ['presence_unavailable', { success: false, 'error-codes': ['invalid-input-secret'] }],
    ['presence_unavailable', { success: false, 'error-codes': ['invalid-input-response', 'invalid-input-secret'] }],
    ['presence_unavailable', { success: false, 'error-codes': ['bad-request'] }],
    ['presence_unavailable', { success: false, 'error-codes': ['internal-error'] }],
    ['presence_unavailable', { success: false, 'error-codes': ['something-new'] }],
    ['presence_unavailable', { success: false, 'error-codes': [] }],
    ['presence_unavailable', { success: false }],
  ])('is %s: %j', (code, response) => {
    expect(() => turnstileExpiration(response, app, now)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    '',
    '<html>',
    '{',
    '[]',
    'null',
    '{}',
    '{"success":"true"}',
    '{"success":1}',
    '{"success":true,"challenge_ts":"yesterday"}',
  ])('that is %j is presence_unavailable', (text) => {
    expect(() => readTurnstileResponse(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'presence_unavailable', status: 503, retryAfter: 1 }),
    );
  });
});
