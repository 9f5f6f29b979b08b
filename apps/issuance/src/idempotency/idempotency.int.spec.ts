import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createOffer,
  eraseSubject,
  getIssued,
  resumeCredential,
  revokeCredential,
  suspendCredential,
  withdrawOffer,
  type AuditRecord,
} from '@holdfast/contracts';
import { eventually, FakeClock, testContext } from '@holdfast/testing';
import { codesOf, errorWith, TestCustomers } from '../customers.fixture.js';
import { IssuanceStack } from '../issuance-stack.fixture.js';

const seed = Number(process.env.IDEMPOTENCY_SEED ?? randomInt(2 ** 31));
const clock = new FakeClock('2026-11-21T09:00:00.000Z');

let stack: IssuanceStack;
let customers: TestCustomers;
beforeAll(async () => {
  stack = await IssuanceStack.start({ settings: { LOG_LEVEL: 'error' }, clock, replicas: 2 });
  customers = new TestCustomers(stack);
});
afterAll(() => stack?.stop());

type TransitionName = 'suspend' | 'resume' | 'revoke' | 'withdraw' | 'erase';
const transitions: TransitionName[] = ['suspend', 'resume', 'revoke', 'withdraw', 'erase'];

/** A customer in the state from which a transition is possible, and a function that requests the transition. */
async function prepared(transition: TransitionName, app = 'app_test') {
  const context = () => testContext({ actor: { type: 'app', id: app } });
  const offer = await customers.offer({}, context());
  const { subject, credentialId: id, offerId, token } = offer;
  if (transition !== 'withdraw') await customers.claim(token);
  if (transition === 'resume') await stack.gateway.request(suspendCredential, { id }, context());
  const send = (idempotencyKey?: string): Promise<object> => {
    const key = idempotencyKey === undefined ? {} : { idempotencyKey };
    switch (transition) {
      case 'suspend':
        return stack.gateway.request(suspendCredential, { id, reason: 'why', ...key }, context());
      case 'resume':
        return stack.gateway.request(resumeCredential, { id, reason: 'why', ...key }, context());
      case 'revoke':
        return stack.gateway.request(revokeCredential, { id, reason: 'why', ...key }, context());
      case 'withdraw':
        return stack.gateway.request(withdrawOffer, { offerId, ...key }, context());
      case 'erase':
        return stack.gateway.request(eraseSubject, { subject, ...key }, context());
    }
  };
  return { ...offer, id, send, context };
}

const recordsOf = (action: string, subject: string) =>
  stack.received
    .map((e) => e.audit)
    .filter(
      (r): r is AuditRecord =>
        r?.action === action && r.targets.some((t) => t.id === subject || t.dataSubject === subject),
    );
const actionOf = (transition: TransitionName) =>
  transition === 'withdraw' ? 'offer.withdraw' : transition === 'erase' ? 'subject.erase' : `credential.${transition}`;
/** The error of a second request without the key. */
const denied = (transition: TransitionName) => errorWith(transition === 'erase' ? 'unknown_subject' : 'invalid_state');

describe.each(transitions)('%s with an Idempotency-Key', (transition) => {
  it('answers a repeat with the response of the first request and changes nothing again', async () => {
    const { subject, send } = await prepared(transition);
    const key = randomUUID();
    const first = await send(key);
    expect(first).not.toHaveProperty('replayed');
    for (let i = 0; i < 2; i += 1)
      expect(await send(key)).toEqual({ ...first, replayed: transition === 'erase' ? {} : { subject } });
    // Without the key, the state denies it.
    await expect(send()).rejects.toEqual(denied(transition));
    await eventually(() => recordsOf(actionOf(transition), subject).length > 0);
    expect(recordsOf(actionOf(transition), subject)).toHaveLength(1);
  });

  it('has one effect when 24 concurrent requests come to two replicas', async () => {
    const { subject, send } = await prepared(transition);
    // Some of the requests have another key. The seed is printed, so that a failure can be repeated.
    process.stdout.write(`IDEMPOTENCY_SEED=${seed} (${transition})\n`);
    const keys = Array.from({ length: 24 }, (_, i) =>
      (Math.imul(seed + i, 2_654_435_761) >>> 8) % 4 === 0 ? 'other' : 'same',
    );
    if (!keys.includes('same')) keys[0] = 'same';
    const results = await Promise.allSettled(keys.map((key) => send(`${key} ${transition}`)));
    const first = results.flatMap((r) => (r.status === 'fulfilled' && !('replayed' in r.value) ? [r.value] : []));

    try {
      expect(first).toHaveLength(1);
      // All requests with the key of the first one get its response; the new state denies the others.
      const responses = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
      for (const response of responses) expect(response).toMatchObject(first[0]!);
      const expectedCodes = ['invalid_state', 'unknown_subject', 'idempotency_in_progress'];
      expect(codesOf(results).filter((code) => !expectedCodes.includes(code))).toEqual([]);
      const winner = keys[results.findIndex((r) => r.status === 'fulfilled')]!;
      keys.forEach((key, i) =>
        expect([key === winner, results[i]!.status]).toEqual([
          key === winner,
          key === winner ? 'fulfilled' : 'rejected',
        ]),
      );
      await eventually(() => recordsOf(actionOf(transition), subject).length > 0);
      expect(recordsOf(actionOf(transition), subject)).toHaveLength(1);
    } catch (error) {
      throw new Error(`with IDEMPOTENCY_SEED=${seed}: ${String(error)}`, { cause: error });
    }
  });

  it('rejects the key for another request, and a denied request does not use the key', async () => {
    const { send } = await prepared(transition, 'app_mismatch');
    const another = await prepared(transition, 'app_mismatch');
    const key = randomUUID();
    await stack.gateway
      .request(withdrawOffer, { offerId: randomUUID(), idempotencyKey: key }, another.context())
      .catch(() => undefined);
    await send(key);
    await expect(another.send(key)).rejects.toEqual(errorWith('idempotency_mismatch'));
    await expect(
      stack.gateway.request(createOffer, { offer: {}, idempotencyKey: key }, another.context()),
    ).rejects.toEqual(errorWith('idempotency_mismatch'));
    // With another key it succeeds.
    expect(await another.send(randomUUID())).not.toHaveProperty('replayed');
  });

  it('keeps nothing of an erased customer but the hash of the key', async () => {
    const { subject, id, offerId, send, context } = await prepared(transition, `app_${transition}`);
    await send('k');
    const stored = () =>
      stack.database.query<{ subject: string | null; response: Buffer | null; fingerprint: Buffer | null }>(
        'SELECT subject, response, fingerprint FROM issuance.idempotency WHERE app = $1',
        [`app_${transition}`],
      );
    const [{ response } = { response: null }] = await stored();
    expect([subject, id, offerId].filter((secret) => response!.includes(secret))).toEqual([]);
    // The response of the erasure itself names no customer, and stays.
    const isErasure = transition === 'erase';
    const erase = () => stack.gateway.request(eraseSubject, { subject }, context()).catch(() => undefined);
    await erase();
    expect(await stored()).toEqual([
      isErasure
        ? { subject: null, response: expect.any(Buffer), fingerprint: expect.any(Buffer) }
        : { subject: null, response: null, fingerprint: null },
    ]);
    expect(
      await send('k').then(
        () => 'replayed',
        (error: { code: string }) => error.code,
      ),
    ).toBe(isErasure ? 'replayed' : 'conflict');
  });

  it('stores the response for a day', async () => {
    const { send } = await prepared(transition, `app_day_${transition}`);
    await send('k');
    clock.advance(25 * 3_600_000);
    await expect(send('k')).rejects.toEqual(denied(transition));
  });
});

it('a repeat gets the first response, whatever has changed since', async () => {
  const { id, send, context } = await prepared('suspend');
  const first = await send('early');
  await stack.gateway.request(resumeCredential, { id, idempotencyKey: 'then' }, context());
  expect(await send('early')).toMatchObject(first);
  expect(await stack.gateway.request(getIssued, { id }, context())).toMatchObject({ status: 'issued' });
});
