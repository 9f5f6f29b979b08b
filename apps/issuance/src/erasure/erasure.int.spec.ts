import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createOffer, eraseSubject, quarantines } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { eventually, SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { codesOf, errorWith, TestCustomers } from '../customers.fixture.js';
import { IssuanceStack } from '../issuance-stack.fixture.js';

describe('an erasure', () => {
  let stack: IssuanceStack;
  let customers: TestCustomers;
  /** Customers whose erasure auth cannot apply. */
  const failing = new Set<string>();

  beforeAll(async () => {
    stack = await IssuanceStack.start({
      onEvents: (consumer, events) => {
        if (consumer === 'auth' && events.some((e) => e.type === 'subject.erasure_started' && failing.has(e.subject)))
          throw new TypeError('the erasure cannot be applied');
      },
    });
    customers = new TestCustomers(stack);
  });
  afterAll(() => stack?.stop());

  const erase = (subject: string, context = testContext()) => stack.gateway.request(eraseSubject, { subject }, context);
  const outboxOf = (subject: string) =>
    stack.database.query<{ type: string }>(
      `SELECT payload::json->>'type' AS type FROM issuance.outbox WHERE aggregate = $1`,
      [subject],
    );

  it('succeeds once of ten concurrent ones, deletes everything, and keeps only hashes', async () => {
    const context = () => testContext({ actor: { type: 'app', id: 'app-erase' } });
    const offer = () => stack.gateway.request(createOffer, { offer: {}, idempotencyKey: 'first and only' }, context());
    const { subject } = (await offer()).offer;
    await eventually(async () => expect(await outboxOf(subject)).toEqual([]));
    // The erasure stays unconfirmed, and in the outbox.
    await stack.stopConsumer('signals');
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => erase(subject, context())));
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    expect(codesOf(results)).toEqual(Array.from({ length: 9 }, () => 'unknown_subject'));
    for (const table of ['subject', 'credential', 'offer', 'idempotency'])
      expect(JSON.stringify(await stack.database.query(`SELECT * FROM issuance.${table}`))).not.toContain(subject);
    const hash = customerKey('acme', subject);
    expect(await stack.database.query('SELECT 1 FROM issuance.erased WHERE hash = $1', [hash])).toHaveLength(1);
    expect(await outboxOf(subject)).toEqual([{ type: 'subject.erasure_started' }]);
    await expect(offer()).rejects.toEqual(errorWith('conflict'));
    await stack.startConsumer('signals');
  });

  it('deletes passkeys, user handle and challenges: nothing of a claim or sign-in is left or logged', async () => {
    const { subject, token, authenticator } = await customers.new();
    await expect(customers.signIn({ authenticator }, { badSignature: true })).rejects.toEqual(
      errorWith('passkey_invalid'),
    );
    const { token: open } = await customers.offer({ subject });
    const response = await customers.register(open, new SoftwareAuthenticator());
    await erase(subject);
    for (const table of ['webauthn_user', 'passkey', 'challenge', 'credential', 'offer']) {
      const dump = JSON.stringify(await stack.database.query(`SELECT * FROM issuance.${table}`));
      expect(dump).not.toContain(subject);
      expect(dump).not.toContain(authenticator.passkeys[0]!.id);
    }
    for (const erased of [token, open])
      await expect(customers.getClaim(erased)).rejects.toEqual(errorWith('unknown_claim'));
    await expect(customers.complete(open, response)).rejects.toEqual(errorWith('unknown_claim'));
    await expect(customers.signIn({ authenticator })).resolves.toEqual({
      outcome: 'refused',
      reason: 'unknown_passkey',
      removed: true,
    });
    await expect(customers.status(subject)).resolves.toEqual({ state: 'unknown' });
    const log = stack.lines.join('');
    expect(log).toContain('rejected a passkey');
    for (const secret of [subject, token, open, authenticator.passkeys[0]!.userHandle])
      expect(log).not.toContain(secret);
  });

  it('is confirmed once, when every service has confirmed it', async () => {
    const { subject } = await customers.offer();
    await stack.stopConsumer('signals');
    await erase(subject);
    const unconfirmed = ['offer.created', 'subject.erasure_started'];
    await eventually(() => expect(customers.typesOf(subject)).toEqual(unconfirmed));
    // The outbox looks for confirmations every two seconds, this job every second.
    await stack.moreRunsOf('erasure_confirmations', 5);
    expect(customers.typesOf(subject)).toEqual(unconfirmed);
    await stack.startConsumer('signals');
    await eventually(() => expect(customers.typesOf(subject)).toEqual([...unconfirmed, 'subject.erased']));
    const confirmation = customers.eventsOf(subject).at(-1);
    expect(confirmation).toMatchObject({ subject, version: 2, data: { subject } });
    expect(confirmation).not.toHaveProperty('audit');
    await eventually(async () => expect(await outboxOf(subject)).toEqual([]));
    expect(customers.typesOf(subject)).toEqual([...unconfirmed, 'subject.erased']);
  });

  it('is not confirmed while a service has quarantined it, and is once that one has applied it', async () => {
    const { subject } = await customers.offer();
    const isConfirmed = (erased: string) => customers.typesOf(erased).includes('subject.erased');
    const list = () => stack.operator.request(quarantines.issuance.list, {}, testContext());
    const retry = () => stack.operator.request(quarantines.issuance.retry, {}, testContext());
    failing.add(subject);
    await erase(subject);
    await eventually(async () =>
      expect(await list()).toMatchObject({
        count: 1,
        events: [{ type: 'subject.erasure_started', consumer: 'auth', reason: 'TypeError' }],
      }),
    );
    // A quarantined erasure does not delay a later one.
    const { subject: other } = await customers.offer();
    await erase(other);
    await eventually(() => expect(isConfirmed(other)).toBe(true));
    expect(isConfirmed(subject)).toBe(false);
    expect(await retry()).toEqual({ retried: 1 });
    await eventually(async () => expect(await list()).toMatchObject({ count: 1 }));
    expect(isConfirmed(subject)).toBe(false);
    failing.clear();
    await retry();
    await eventually(() => expect(isConfirmed(subject)).toBe(true));
    expect((await list()).count).toBe(0);
  });
});
