import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createCredentialType,
  customerStatus,
  eraseSubject,
  getClaim,
  getIssued,
  resumeCredential,
  revokeCredential,
  suspendCredential,
  withdrawOffer,
  type RequestContext,
} from '@holdfast/contracts';
import { eventually, FakeClock, SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { TestCustomers, type TestCustomer } from '../customers.fixture.js';
import { IssuanceStack } from '../issuance-stack.fixture.js';

const start = '2026-11-21T09:00:00.000Z';
const minutes = (n: number) => n * 60_000;
const refused = (code: string, detail?: string) =>
  expect.objectContaining({ code, ...(detail && { detail: expect.stringContaining(detail) }) });

describe('the life of a credential', () => {
  let stack: IssuanceStack;
  let customers: TestCustomers;
  const clock = new FakeClock(start);
  const other = testContext({ actor: { type: 'app', id: 'another-app' } });

  beforeAll(async () => {
    stack = await IssuanceStack.start({}, clock, 2);
    customers = new TestCustomers(stack);
    await stack.asOperator(createCredentialType, {
      name: 'hour',
      display: 'Hour',
      validity: 'PT1H',
      renewalWindow: 'PT30M',
    });
    await stack.asOperator(createCredentialType, { name: 'pass', display: 'Pass', validity: 'PT1H', revocable: false });
  });
  afterAll(() => stack?.stop());
  beforeEach(() => clock.set(start));

  const suspend = ({ credentialId: id }: TestCustomer, reason?: string, context: RequestContext = testContext()) =>
    stack.gateway.request(suspendCredential, { id, reason }, context);
  const resume = ({ credentialId: id }: TestCustomer) => stack.gateway.request(resumeCredential, { id }, testContext());
  const revoke = ({ credentialId: id }: TestCustomer, reason?: string) =>
    stack.gateway.request(revokeCredential, { id, reason }, testContext());
  const read = ({ credentialId: id }: Pick<TestCustomer, 'credentialId'>, context: RequestContext = testContext()) =>
    stack.gateway.request(getIssued, { id }, context);
  const status = ({ subject, credentialType }: TestCustomer) =>
    stack.auth.request(customerStatus, { subject, credentialType }, testContext());
  const typesOf = (subject: string) => customers.eventsOf(subject).map((e) => e.type);

  describe('suspending, resuming, revoking', () => {
    it('is told once, recorded as the app, and read back at once', async () => {
      const holder = await customers.new();
      const context = testContext();
      await expect(suspend(holder, 'looking_into_it', context)).resolves.toMatchObject({
        id: holder.credentialId,
        status: 'suspended',
        holderId: holder.subject,
      });
      await expect(read(holder)).resolves.toMatchObject({ status: 'suspended' });
      await expect(customers.signIn(holder)).resolves.toMatchObject({
        outcome: 'refused',
        reason: 'no_live_credential',
      });
      await expect(suspend(holder)).rejects.toEqual(refused('invalid_state', 'is suspended'));
      await expect(resume(holder)).resolves.toMatchObject({ status: 'issued' });
      await expect(resume(holder)).rejects.toEqual(refused('invalid_state', 'is issued'));
      await expect(customers.signIn(holder)).resolves.toMatchObject({ outcome: 'signed_in' });
      clock.advance(minutes(1));
      await expect(revoke(holder, 'lost_device')).resolves.toMatchObject({
        status: 'revoked',
        revokedReason: 'lost_device',
        revokedAt: '2026-11-21T09:01:00.000Z',
      });
      for (const act of [suspend, resume, revoke])
        await expect(act(holder)).rejects.toEqual(refused('invalid_state', 'is revoked'));
      await expect(status(holder)).resolves.toEqual({ state: 'not_live' });

      const events = customers.eventsOf(holder.subject);
      expect(events.map((e) => [e.type, e.version, e.audit?.action])).toEqual([
        ['offer.created', 1, 'offer.create'],
        ['credential.issued', 2, 'credential.claim'],
        ['credential.suspended', 3, 'credential.suspend'],
        ['credential.resumed', 4, 'credential.resume'],
        ['credential.revoked', 5, 'credential.revoke'],
      ]);
      expect(events[2]).toMatchObject({
        data: { subject: holder.subject, credentialId: holder.credentialId, credentialType: 'customer' },
        audit: {
          id: context.auditId,
          actor: context.actor,
          outcome: { result: 'success', status: 200 },
          changes: { status: { from: 'issued', to: 'suspended' }, reason: { to: 'looking_into_it' } },
        },
      });
      expect(JSON.stringify(events.map((e) => e.data))).not.toMatch(/looking|lost/);
    });

    it('is not for what cannot be revoked, other apps, and what is not there', async () => {
      const pass = await customers.new({ credentialType: 'pass' });
      for (const act of [suspend, revoke])
        await expect(act(pass)).rejects.toEqual(refused('not_revocable', 'ends when it expires'));
      await expect(resume(pass)).rejects.toEqual(refused('invalid_state'));
      for (const ask of [
        () => read(pass, other),
        () => suspend(pass, undefined, other),
        () => read({ credentialId: pass.subject }),
        () => read(pass, testContext({ org: 'globex' })),
      ]) {
        await expect(ask()).rejects.toEqual(refused('unknown_credential'));
      }
      await stack.gateway.request(eraseSubject, { subject: pass.subject }, testContext());
      await expect(read(pass)).rejects.toEqual(refused('unknown_credential'));
      await expect(revoke(pass)).rejects.toEqual(refused('unknown_credential'));
    });

    it('ends a recovery that is on its way, and refuses another until it is resumed', async () => {
      const holder = await customers.new();
      const recovery = await customers.offer({ subject: holder.subject });
      const half = await customers.register(recovery.token, new SoftwareAuthenticator());
      await suspend(holder);
      await expect(customers.complete(recovery.token, half)).rejects.toEqual(refused('claim_withdrawn'));
      await expect(stack.gateway.request(getClaim, { token: recovery.token }, testContext())).resolves.toMatchObject({
        state: 'withdrawn',
      });
      await expect(customers.offer({ subject: holder.subject })).rejects.toEqual(
        refused('invalid_state', 'is suspended'),
      );
      await resume(holder);
      await expect(stack.gateway.request(getClaim, { token: recovery.token }, testContext())).resolves.toMatchObject({
        state: 'withdrawn',
      });
      await expect(stack.gateway.request(withdrawOffer, { offerId: recovery.offerId }, testContext())).rejects.toEqual(
        refused('invalid_state'),
      );
      const again = await customers.offer({ subject: holder.subject });
      await revoke(holder);
      await expect(customers.register(again.token, new SoftwareAuthenticator())).rejects.toEqual(
        refused('claim_withdrawn'),
      );
      expect(typesOf(holder.subject).slice(2)).toEqual([
        'offer.created',
        'offer.withdrawn',
        'credential.suspended',
        'credential.resumed',
        'offer.created',
        'offer.withdrawn',
        'credential.revoked',
      ]);
    });

    it('gives what is issued after a revocation to the new passkey alone', async () => {
      const holder = await customers.new();
      await revoke(holder, 'stolen');
      const mine = new SoftwareAuthenticator();
      const again = await customers.offer({ subject: holder.subject });
      expect(again.credentialId).not.toBe(holder.credentialId);
      await customers.claim(again.token, mine);
      await expect(customers.signIn(holder)).resolves.toEqual({ outcome: 'refused', reason: 'unknown_passkey' });
      await expect(customers.signIn({ ...holder, authenticator: mine })).resolves.toMatchObject({
        outcome: 'signed_in',
        subject: holder.subject,
        credential: { id: again.credentialId },
      });
    });
  });

  describe('recovery', () => {
    it('re-keys what cannot be revoked too: another passkey and document number, all else as it was', async () => {
      const holder = await customers.new({ credentialType: 'pass' });
      const before = await customers.signIn(holder);
      clock.advance(minutes(10));
      const recovery = await customers.offer({ subject: holder.subject, credentialType: 'pass' });
      const mine = new SoftwareAuthenticator();
      await customers.claim(recovery.token, mine);
      await expect(customers.signIn(holder)).resolves.toEqual({ outcome: 'refused', reason: 'unknown_passkey' });
      const after = await customers.signIn({ ...holder, authenticator: mine });
      if (before.outcome !== 'signed_in' || after.outcome !== 'signed_in') throw new Error('not signed in');
      const { document_number: number, ...same } = before.credential;
      expect(after).toMatchObject({ subject: before.subject, credential: same });
      expect(after.credential.document_number).not.toBe(number);
    });

    it('begins anew what ended meanwhile, after its end has been events', async () => {
      const holder = await customers.new({ credentialType: 'pass' });
      clock.advance(minutes(60));
      await expect(customers.signIn(holder)).resolves.toMatchObject({
        outcome: 'refused',
        reason: 'no_live_credential',
      });
      const recovery = await customers.offer({ subject: holder.subject, credentialType: 'pass' });
      await customers.claim(recovery.token, holder.authenticator);
      await expect(customers.signIn(holder)).resolves.toMatchObject({
        outcome: 'signed_in',
        credential: { id: holder.credentialId, issued_at: start, expires_at: '2026-11-21T11:00:00.000Z' },
      });
      expect(typesOf(holder.subject)).toEqual([
        'offer.created',
        'credential.issued',
        'credential.expired',
        'offer.created',
        'credential.rekeyed',
      ]);
    });
  });

  describe('renewal', () => {
    it('comes with a sign-in inside the window, and the sign-in has it already', async () => {
      const holder = await customers.new({ credentialType: 'hour' });
      clock.advance(minutes(30) - 1);
      const early = await customers.signIn(holder);
      clock.advance(1);
      const late = await customers.signIn(holder);
      if (early.outcome !== 'signed_in' || late.outcome !== 'signed_in') throw new Error('not signed in');
      expect(early.credential.expires_at).toBe('2026-11-21T10:00:00.000Z');
      expect(late.credential).toMatchObject({
        id: early.credential.id,
        issued_at: start,
        expires_at: '2026-11-21T10:30:00.000Z',
      });
      expect(late.credential.document_number).not.toBe(early.credential.document_number);
      expect(late.version).toBe(early.version! + 1);
      await expect(status(holder)).resolves.toMatchObject({ state: 'live', credential: late.credential });
      await expect(read(holder)).resolves.toMatchObject({
        issuedAt: start,
        holderClaimedAt: start,
        expiresAt: '2026-11-21T10:30:00.000Z',
      });
      const [, , renewal, ...more] = customers.eventsOf(holder.subject);
      expect(more).toEqual([]);
      expect(renewal).toMatchObject({
        type: 'credential.renewed',
        data: { credentialId: holder.credentialId, expiresAt: '2026-11-21T10:30:00.000Z' },
        audit: {
          action: 'credential.renew',
          actor: { type: 'system', id: 'issuance' },
          changes: { expiresAt: { to: '2026-11-21T10:30:00.000Z' } },
        },
      });
      // It is no record of the sign-in, which auth writes.
      expect(renewal!.audit!.request.id).not.toBe(renewal!.requestId);
      expect(JSON.stringify(renewal)).not.toContain(late.credential.document_number);
    });

    it('waits for whoever changes the customer, and a sign-in without one for nobody', async () => {
      const holder = await customers.new({ credentialType: 'hour' });
      const hold = () => {
        const lock = { released: false, end: Promise.resolve() };
        const sql = `DO $$ BEGIN PERFORM 1 FROM issuance.subject WHERE id = '${holder.subject}' FOR UPDATE; PERFORM pg_sleep(1.5); END $$`;
        lock.end = stack.database.query(sql).then(() => void (lock.released = true));
        return lock;
      };
      const held = async () =>
        eventually(
          async () =>
            (
              await stack.database.query(
                `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DO $$%' AND wait_event = 'PgSleep'`,
              )
            ).length > 0,
        );
      const first = hold();
      await held();
      await expect(customers.signIn(holder)).resolves.toMatchObject({ outcome: 'signed_in' });
      expect(first.released).toBe(false);
      await first.end;
      clock.advance(minutes(40));
      const second = hold();
      await held();
      await expect(customers.signIn(holder)).resolves.toMatchObject({
        outcome: 'signed_in',
        credential: { expires_at: '2026-11-21T10:40:00.000Z' },
      });
      expect(second.released).toBe(true);
      await second.end;
    });
  });

  describe('ends', () => {
    it('are told once each, by the system, however many replicas there are', async () => {
      const offers = await Promise.all(Array.from({ length: 40 }, () => customers.offer({ offerExpiresIn: 600 })));
      const held = await Promise.all(Array.from({ length: 20 }, () => customers.new({ credentialType: 'pass' })));
      const erased = offers[0]!;
      await stack.gateway.request(eraseSubject, { subject: erased.subject }, testContext());
      clock.advance(minutes(60));
      const waiting = offers.slice(1);
      await eventually(() => {
        for (const { subject } of waiting) expect(typesOf(subject)).toContain('offer.expired');
        for (const { subject } of held) expect(typesOf(subject)).toContain('credential.expired');
      }, 20_000);
      // Another round of both replicas tells nothing twice.
      await new Promise((resolve) => setTimeout(resolve, 2200));
      for (const { subject } of waiting) expect(typesOf(subject)).toEqual(['offer.created', 'offer.expired']);
      for (const { subject } of held)
        expect(typesOf(subject)).toEqual(['offer.created', 'credential.issued', 'credential.expired']);
      await eventually(
        () => expect(typesOf(erased.subject)).toEqual(['offer.created', 'subject.erasure_started', 'subject.erased']),
        10_000,
      );
      const [, , event] = customers.eventsOf(held[0]!.subject);
      expect(event).toMatchObject({
        version: 3,
        data: { credentialId: held[0]!.credentialId, expiresAt: '2026-11-21T10:00:00.000Z' },
        state: { credentials: [{ status: 'issued' }] },
        audit: {
          action: 'credential.expire',
          actor: { type: 'system', id: 'issuance' },
          outcome: { result: 'success' },
        },
      });
      const records = waiting.map(({ subject }) => customers.eventsOf(subject)[1]!.audit!);
      expect(new Set(records.map((r) => r.id)).size).toBe(waiting.length);
      expect(new Set(records.map((r) => r.request.id)).size).toBe(waiting.length);
      expect(records[0]).toMatchObject({
        action: 'offer.expire',
        targets: [{ type: 'customer' }, { type: 'credential' }, { type: 'offer', id: waiting[0]!.offerId }],
      });
    });
  });
});
