import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { verifySolution, type Challenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import fc from 'fast-check';
import type { IssuanceConfig } from '../config.js';
import { AltchaProvider } from './altcha.provider.js';
import { presenceKeys } from './presence-keys.js';
import { packed, solve, type Solved } from './solve.fixture.js';

const config = (PRESENCE_KEY: Buffer, more: Partial<IssuanceConfig> = {}) =>
  ({ PRESENCE_KEY, PRESENCE_SECONDS: 600, PRESENCE_COST: 2, PRESENCE_STEPS: 10, ...more }) as IssuanceConfig;
const master = randomBytes(32);
const provider = new AltchaProvider(config(master));
const now = new Date();
const here = { org: 'acme', app: 'app-1', now };
const presenceError = (code: string) =>
  expect.objectContaining({ code, status: 422, errors: [expect.objectContaining({ pointer: '#/presence' })] });

describe('the built-in proof of work', () => {
  let solved: Solved;
  beforeAll(async () => void (solved = await solve(await provider.challenge(here))));
  const verify = (payload: string, context: Partial<typeof here> = {}, by = provider) =>
    by.verify({ payload }, { ...here, ...context });

  it('is valid for its organization and app until it expires', async () => {
    const proof = await verify(packed(solved));
    expect(proof).toEqual({
      provider: 'altcha',
      id: solved.challenge.parameters.data.id,
      expiresAt: new Date(Math.floor((now.getTime() + 600_000) / 1000) * 1000),
    });
    await expect(verify(packed(solved), { now: new Date(proof.expiresAt.getTime() - 1) })).resolves.toEqual(proof);
    await expect(verify(packed(solved), { now: proof.expiresAt })).rejects.toEqual(presenceError('presence_expired'));
    await expect(verify(packed(solved), { org: 'globex' })).rejects.toEqual(presenceError('presence_invalid'));
    await expect(verify(packed(solved), { app: 'app-2' })).rejects.toEqual(presenceError('presence_invalid'));
  });

  it("is valid for altcha-lib's own verification", async () => {
    const [keys] = presenceKeys(config(master), 'acme');
    const { challenge, solution } = solved;
    const own = await verifySolution({
      challenge: challenge as unknown as Challenge,
      solution: { time: 0, ...solution },
      deriveKey,
      hmacSignatureSecret: keys.signature,
      hmacKeySignatureSecret: keys.key,
    });
    expect(own).toMatchObject({ verified: true, expired: false });
  });

  const changes: [string, (s: Solved) => void][] = [
    ...['algorithm', 'cost', 'keyLength', 'keyPrefix', 'keySignature', 'nonce', 'salt', 'expiresAt'].map(
      (name): [string, (s: Solved) => void] => [
        `parameter ${name}`,
        ({ challenge: { parameters } }) =>
          void (parameters[name] =
            typeof parameters[name] === 'number'
              ? parameters[name] - 1000
              : `${String(parameters[name]).slice(0, -1)}${String(parameters[name]).endsWith('0') ? '1' : '0'}`),
      ],
    ),
    ...['org', 'purpose', 'client_id', 'id', 'answer'].map((name): [string, (s: Solved) => void] => [
      `data ${name}`,
      ({ challenge: { parameters } }) => void (parameters.data[name] = `${String(parameters.data[name])}x`),
    ]),
    ['another organization', ({ challenge: { parameters } }) => void (parameters.data.org = 'globex')],
    ['an additional parameter', ({ challenge: { parameters } }) => void (parameters.memoryCost = 1)],
    ['additional data', ({ challenge: { parameters } }) => void (parameters.data.admin = true)],
    ['a missing parameter', ({ challenge: { parameters } }) => void delete parameters.expiresAt],
    [
      'the signature',
      ({ challenge }) => void (challenge.signature = challenge.signature.replace(/^./, (c) => (c === '0' ? '1' : '0'))),
    ],
    ['the signature in capitals', ({ challenge }) => void (challenge.signature = `A${challenge.signature.slice(1)}`)],
    ['no signature', ({ challenge }) => void (challenge.signature = '')],
    [
      'another derived key',
      ({ solution }) => void (solution.derivedKey = solution.derivedKey.replace(/.$/, (c) => (c === '0' ? '1' : '0'))),
    ],
    ['the next counter', ({ solution }) => void (solution.counter += 1)],
    ['a counter below zero', ({ solution }) => void (solution.counter = -1)],
  ];
  it.each(changes)('is invalid with a change: %s', async (_, change) => {
    const changed = structuredClone(solved);
    change(changed);
    await expect(verify(packed(changed))).rejects.toEqual(presenceError('presence_invalid'));
    // Also after its expiration: a forged proof is not reported as expired.
    await expect(verify(packed(changed), { now: new Date(now.getTime() + 86_400_000) })).rejects.toEqual(
      presenceError('presence_invalid'),
    );
  });

  it('is invalid with the solution of another challenge', async () => {
    const other = await solve(await provider.challenge(here));
    await expect(verify(packed({ challenge: solved.challenge, solution: other.solution }))).rejects.toEqual(
      presenceError('presence_invalid'),
    );
  });

  it.each([
    '',
    'x',
    '!!!!',
    '{}',
    'e30=',
    packed(null),
    packed([]),
    packed('x'),
    packed({ challenge: {}, solution: {} }),
    packed({ test: true, challenge: null, solution: null }),
    'A'.repeat(8192),
  ])('is invalid when it is %j', async (payload) => {
    await expect(verify(payload)).rejects.toEqual(presenceError('presence_invalid'));
  });

  it.each([' ', '\n', '\r', '\t', '\0'])('is invalid with %j after it', async (more) => {
    await expect(verify(Buffer.from(JSON.stringify(solved) + more).toString('base64'))).rejects.toEqual(
      presenceError('presence_invalid'),
    );
  });

  it('is invalid with any changed byte', async () => {
    const bytes = Buffer.from(packed(solved));
    // Without `time`, which the browser measures and nothing signs.
    const untimed = Buffer.from(
      packed({ ...solved, solution: { counter: solved.solution.counter, derivedKey: solved.solution.derivedKey } }),
    );
    await expect(verify(untimed.toString())).resolves.toBeDefined();
    await fc.assert(
      fc.asyncProperty(fc.nat(untimed.length - 1), fc.integer({ min: 1, max: 127 }), async (at, flip) => {
        const changed = Buffer.from(untimed);
        changed[at] = changed[at]! ^ flip;
        const outcome = await verify(changed.toString('latin1')).then(
          () => 'valid',
          (error: { code?: string }) => error.code,
        );
        expect(outcome).toBe('presence_invalid');
      }),
      { numRuns: 500 },
    );
    expect(bytes.length).toBeLessThan(2000);
  });

  it('is valid under the previous key after a rotation, while challenges are signed under the new one', async () => {
    const next = randomBytes(32);
    await expect(
      verify(packed(solved), {}, new AltchaProvider(config(next, { PRESENCE_KEY_PREVIOUS: master }))),
    ).resolves.toBeDefined();
    await expect(verify(packed(solved), {}, new AltchaProvider(config(next)))).rejects.toEqual(
      presenceError('presence_invalid'),
    );
    const made = packed(
      await solve(await new AltchaProvider(config(next, { PRESENCE_KEY_PREVIOUS: master })).challenge(here)),
    );
    await expect(verify(made)).rejects.toEqual(presenceError('presence_invalid'));
  });
});
