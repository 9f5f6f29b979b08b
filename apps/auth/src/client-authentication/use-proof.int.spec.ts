import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useProof } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { eventually, patient, testContext } from '@holdfast/testing';
import { AuthStack } from '../auth-stack.fixture.js';
import { stateLimitsSchema } from '../state-limits.js';

let stack: AuthStack;
let bus: Bus;
beforeAll(async () => {
  stack = await AuthStack.start({ STATE_LIMITS: stateLimitsSchema.parse('UsedProof=5') });
  bus = patient(new Bus(await stack.connect('gateway')));
});
afterAll(() => stack.stop());

const newProof = () => randomBytes(32).toString('base64url');
const use = (proof: string, org = 'acme', seconds = 60) =>
  bus.request(useProof, { proof, seconds }, testContext({ org }));

test('a proof is accepted once, on all replicas, however many gateways ask at once', async () => {
  const other = await stack.startReplica({ publicUrl: stack.base });
  const proof = newProof();
  const replies = await Promise.all(Array.from({ length: 20 }, () => use(proof)));
  expect(replies.filter(({ first }) => first)).toHaveLength(1);
  expect(await use(proof)).toEqual({ first: false });
  await other.stop();
});

test('a proof of one organization is none of another', async () => {
  const proof = newProof();
  expect([await use(proof), await use(proof, 'globex')]).toEqual([{ first: true }, { first: true }]);
});

test('a proof is stored as a hash, until it has expired', async () => {
  const proof = newProof();
  await use(proof, 'initech', 70);
  const [row, ...others] = await stack.database.query<{ id: Buffer; payload: Buffer; expires_at: Date }>(
    `SELECT * FROM auth.oidc_state WHERE org = 'initech' AND model = 'UsedProof'`,
  );
  expect([others.length, row!.payload.length]).toEqual([0, 0]);
  expect(row!.id).not.toEqual(Buffer.from(proof, 'base64url'));
  const seconds = (row!.expires_at.getTime() - Date.now()) / 1000;
  expect(seconds).toBeGreaterThan(40);
  expect(seconds).toBeLessThanOrEqual(70);
});

test('an organization without room for a further proof gets 503, one that was used stays used', async () => {
  const used = newProof();
  expect(await use(used, 'hooli')).toEqual({ first: true });
  // The rows are counted in the background.
  await eventually(() =>
    expect(use(newProof(), 'hooli')).rejects.toMatchObject({
      code: 'unavailable',
      origin: { dependency: 'auth/state limit', cause: 'overloaded' },
    }),
  );
  expect(await use(used, 'hooli')).toEqual({ first: false });
});

test.each([
  ['a proof that is no hash', { proof: 'short', seconds: 60 }],
  ['a time without end', { proof: newProof(), seconds: 301 }],
])('%s is refused', async (_, input) => {
  await expect(bus.request(useProof, input, testContext())).rejects.toMatchObject({
    code: 'invalid_request',
    status: 422,
  });
});
