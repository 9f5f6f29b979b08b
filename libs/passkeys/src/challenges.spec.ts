import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { AppError, type Keys } from '@holdfast/platform';
import { requireValidSignedChallenge, signedChallenge } from './challenges.js';

const key = randomBytes(32);
const keys: Keys = [key];
const now = new Date('2026-11-21T09:30:00.500Z');
const expired = new AppError('ceremony_expired');
const take =
  (challenge: Buffer | string, { of = 'acme/i1', at = now, by = keys } = {}) =>
  () =>
    requireValidSignedChallenge(
      by,
      typeof challenge === 'string' ? challenge : challenge.toString('base64url'),
      of,
      at,
    );

describe('a signed challenge', () => {
  test('is 32 random bytes, and valid for ten minutes in its own sign-in', () => {
    const challenge = signedChallenge(keys, 'acme/i1', now);
    expect(challenge).toHaveLength(32);
    expect(signedChallenge(keys, 'acme/i1', now)).not.toEqual(challenge);
    expect(take(challenge)).not.toThrow();
    expect(take(challenge, { at: new Date('2026-11-21T09:39:59.999Z') })).not.toThrow();
    expect(take(challenge, { at: new Date('2026-11-21T09:40:00.500Z') })).toThrow(expired);
  });

  test('is valid under the other key of a rotation', () => {
    const next = randomBytes(32);
    for (const [made, checked] of [
      [keys, [next, key]],
      [[next], [key, next]],
    ] as [Keys, Keys][])
      expect(take(signedChallenge(made, 'acme/i1', now), { by: checked })).not.toThrow();
  });

  test.each([
    ['another sign-in', { of: 'acme/i2' }],
    ['another organization', { of: 'globex/i1' }],
    ['another key', { by: [randomBytes(32)] as Keys }],
  ])('is rejected for %s', (_, given) => {
    expect(take(signedChallenge(keys, 'acme/i1', now), given)).toThrow(expired);
  });

  test('is rejected when a bit is changed, when it is forged, and when its length differs', () => {
    const challenge = signedChallenge(keys, 'acme/i1', now);
    const flipped = Array.from({ length: 256 }, (_, bit) =>
      Buffer.from(challenge.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))),
    );
    for (const forged of [
      ...flipped,
      randomBytes(32),
      Buffer.alloc(32),
      challenge.subarray(0, 31),
      Buffer.concat([challenge, Buffer.alloc(1)]),
      '',
      '!',
    ])
      expect(take(forged)).toThrow(expired);
  });
});
