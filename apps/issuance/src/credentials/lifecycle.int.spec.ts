import { describe, expect, it } from '@jest/globals';
import {
  createCredentialType,
  eraseSubject,
  getIssued,
  resumeCredential,
  revokeCredential,
  suspendCredential,
  withdrawOffer,
  type RequestContext,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { eventually, SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { clock, customers, errorWith, stack, start, withIssuance, type TestCustomer } from '../customers.fixture.js';

const minutes = (n: number) => n * 60_000;

describe('the lifecycle of a credential', () => {
  withIssuance({ replicas: 2 }, async () => {
    await stack.asOperator(createCredentialType, {
      name: 'hour',
      display: 'Hour',
      validity: 'PT1H',
      renewalWindow: 'PT30M',
    });
    await stack.asOperator(createCredentialType, { name: 'pass', display: 'Pass', validity: 'PT1H', revocable: false });
  });
  const other = testContext({ actor: { type: 'app', id: 'another-app' } });

  const suspend = ({ credentialId: id }: TestCustomer, reason?: string, context: RequestContext = testContext()) =>
    stack.gateway.request(suspendCredential, { id, reason }, context);
  const resume = ({ credentialId: id }: TestCustomer) => stack.gateway.request(resumeCredential, { id }, testContext());
  const revoke = ({ credentialId: id }: TestCustomer, reason?: string) =>
    stack.gateway.request(revokeCredential, { id, reason }, testContext());
  const read = ({ credentialId: id }: Pick<TestCustomer, 'credentialId'>, context: RequestContext = testContext()) =>
    stack.gateway.request(getIssued, { id }, context);
  const status = ({ subject, credentialType }: TestCustomer) => customers.status(subject, credentialType);
  const typesOf = (subject: string) => customers.typesOf(subject);

  describe('a suspension, resumption or revocation', () => {
    it('emits one event with the app as actor, and is visible in the next read', async () => {
      const customer = await customers.new();
      const context = testContext();
      await expect(suspend(customer, 'looking_into_it', context)).resolves.toMatchObject({
        id: customer.credentialId,
        status: 'suspended',
        holderId: customer.subject,
      });
      await expect(read(customer)).resolves.toMatchObject({ status: 'suspended' });
      await expect(customers.signIn(customer)).resolves.toMatchObject({
        outcome: 'refused',
        reason: 'no_live_credential',
      });
      await expect(suspend(customer)).rejects.toEqual(errorWith('invalid_state', 'is suspended'));
      await expect(resume(customer)).resolves.toMatchObject({ status: 'issued' });
      await expect(resume(customer)).rejects.toEqual(errorWith('invalid_state', 'is issued'));
      await expect(customers.signIn(customer)).resolves.toMatchObject({ outcome: 'signed_in' });
      clock.advance(minutes(1));
      await expect(revoke(customer, 'lost_device')).resolves.toMatchObject({
        status: 'revoked',
        revokedReason: 'lost_device',
        revokedAt: '2026-11-21T09:01:00.000Z',
      });
      for (const transition of [suspend, resume, revoke])
        await expect(transition(customer)).rejects.toEqual(errorWith('invalid_state', 'is revoked'));
      await expect(status(customer)).resolves.toEqual({ state: 'not_live' });

      const events = customers.eventsOf(customer.subject);
      expect(events.map((e) => [e.type, e.version, e.audit?.action])).toEqual([
        ['offer.created', 1, 'offer.create'],
        ['credential.issued', 2, 'credential.claim'],
        ['credential.suspended', 3, 'credential.suspend'],
        ['credential.resumed', 4, 'credential.resume'],
        ['credential.revoked', 5, 'credential.revoke'],
      ]);
      expect(events[2]).toMatchObject({
        data: { subject: customer.subject, credentialId: customer.credentialId, credentialType: 'customer' },
        audit: {
          id: context.auditId,
          actor: context.actor,
          outcome: { result: 'success', status: 200 },
          changes: { status: { from: 'issued', to: 'suspended' }, reason: { to: 'looking_into_it' } },
        },
      });
      expect(JSON.stringify(events.map((e) => e.data))).not.toMatch(/looking|lost/);
    });

    it('is denied for a credential that is not revocable, of another app, unknown or erased', async () => {
      const pass = await customers.new({ credentialType: 'pass' });
      for (const transition of [suspend, revoke])
        await expect(transition(pass)).rejects.toEqual(errorWith('not_revocable', 'ends when it expires'));
      await expect(resume(pass)).rejects.toEqual(errorWith('invalid_state'));
      for (const request of [
        () => read(pass, other),
        () => suspend(pass, undefined, other),
        () => read({ credentialId: pass.subject }),
        () => read(pass, testContext({ org: 'globex' })),
      ]) {
        await expect(request()).rejects.toEqual(errorWith('unknown_credential'));
      }
      await stack.gateway.request(eraseSubject, { subject: pass.subject }, testContext());
      await expect(read(pass)).rejects.toEqual(errorWith('unknown_credential'));
      await expect(revoke(pass)).rejects.toEqual(errorWith('unknown_credential'));
    });

    it('withdraws an open recovery, and a suspended credential gets no other one', async () => {
      const customer = await customers.new();
      const recovery = await customers.offer({ subject: customer.subject });
      const response = await customers.register(recovery.token);
      await suspend(customer);
      await expect(customers.complete(recovery.token, response)).rejects.toEqual(errorWith('claim_withdrawn'));
      await expect(customers.getClaim(recovery.token)).resolves.toMatchObject({
        state: 'withdrawn',
      });
      await expect(customers.offer({ subject: customer.subject })).rejects.toEqual(
        errorWith('invalid_state', 'is suspended'),
      );
      await resume(customer);
      await expect(customers.getClaim(recovery.token)).resolves.toMatchObject({
        state: 'withdrawn',
      });
      await expect(stack.gateway.request(withdrawOffer, { offerId: recovery.offerId }, testContext())).rejects.toEqual(
        errorWith('invalid_state'),
      );
      const again = await customers.offer({ subject: customer.subject });
      await revoke(customer);
      await expect(customers.register(again.token)).rejects.toEqual(errorWith('claim_withdrawn'));
      expect(typesOf(customer.subject).slice(2)).toEqual([
        'offer.created',
        'offer.withdrawn',
        'credential.suspended',
        'credential.resumed',
        'offer.created',
        'offer.withdrawn',
        'credential.revoked',
      ]);
    });

    it('issues the credential after a revocation to the new passkey only', async () => {
      const customer = await customers.new();
      await revoke(customer, 'stolen');
      const replacement = new SoftwareAuthenticator();
      const again = await customers.offer({ subject: customer.subject });
      expect(again.credentialId).not.toBe(customer.credentialId);
      await customers.claim(again.token, replacement);
      await expect(customers.signIn(customer)).resolves.toEqual({
        outcome: 'refused',
        reason: 'unknown_passkey',
        removed: true,
      });
      await expect(customers.signIn({ ...customer, authenticator: replacement })).resolves.toMatchObject({
        outcome: 'signed_in',
        subject: customer.subject,
        credential: { id: again.credentialId },
      });
    });
  });

  describe('a recovery', () => {
    it('changes passkey and document number only, also of a credential that is not revocable', async () => {
      const customer = await customers.new({ credentialType: 'pass' });
      const before = await customers.signIn(customer);
      clock.advance(minutes(10));
      const recovery = await customers.offer({ subject: customer.subject, credentialType: 'pass' });
      const replacement = new SoftwareAuthenticator();
      await customers.claim(recovery.token, replacement);
      await expect(customers.signIn(customer)).resolves.toEqual({
        outcome: 'refused',
        reason: 'unknown_passkey',
        removed: true,
      });
      const after = await customers.signIn({ ...customer, authenticator: replacement });
      if (before.outcome !== 'signed_in' || after.outcome !== 'signed_in') throw new Error('not signed in');
      const { document_number: number, ...same } = before.credential;
      expect(after).toMatchObject({ subject: before.subject, credential: same });
      expect(after.credential.document_number).not.toBe(number);
    });

    it('gives an expired credential a new expiration, after the event of the earlier one', async () => {
      const customer = await customers.new({ credentialType: 'pass' });
      clock.advance(minutes(60));
      await expect(customers.signIn(customer)).resolves.toMatchObject({
        outcome: 'refused',
        reason: 'no_live_credential',
      });
      const recovery = await customers.offer({ subject: customer.subject, credentialType: 'pass' });
      await customers.claim(recovery.token, customer.authenticator);
      await expect(customers.signIn(customer)).resolves.toMatchObject({
        outcome: 'signed_in',
        credential: { id: customer.credentialId, issued_at: start, expires_at: '2026-11-21T11:00:00.000Z' },
      });
      expect(typesOf(customer.subject)).toEqual([
        'offer.created',
        'credential.issued',
        'credential.expired',
        'offer.created',
        'credential.rekeyed',
      ]);
    });
  });

  describe('a renewal', () => {
    it('comes with a sign-in inside the window, whose reply has the new expiration', async () => {
      const customer = await customers.new({ credentialType: 'hour' });
      clock.advance(minutes(30) - 1);
      const early = await customers.signIn(customer);
      clock.advance(1);
      const late = await customers.signIn(customer);
      if (early.outcome !== 'signed_in' || late.outcome !== 'signed_in') throw new Error('not signed in');
      expect(early.credential.expires_at).toBe('2026-11-21T10:00:00.000Z');
      expect(late.credential).toMatchObject({
        id: early.credential.id,
        issued_at: start,
        expires_at: '2026-11-21T10:30:00.000Z',
      });
      expect(late.credential.document_number).not.toBe(early.credential.document_number);
      expect(late.version).toBe(early.version! + 1);
      await expect(status(customer)).resolves.toMatchObject({ state: 'live', credential: late.credential });
      await expect(read(customer)).resolves.toMatchObject({
        issuedAt: start,
        holderClaimedAt: start,
        expiresAt: '2026-11-21T10:30:00.000Z',
      });
      const [, , renewal, ...more] = customers.eventsOf(customer.subject);
      expect(more).toEqual([]);
      expect(renewal).toMatchObject({
        type: 'credential.renewed',
        data: { credentialId: customer.credentialId, expiresAt: '2026-11-21T10:30:00.000Z' },
        audit: {
          action: 'credential.renew',
          actor: { type: 'system', id: 'issuance' },
          changes: { expiresAt: { to: '2026-11-21T10:30:00.000Z' } },
        },
      });
      // The record of the sign-in is another one, by auth.
      expect(renewal!.audit!.request.id).not.toBe(renewal!.requestId);
      expect(JSON.stringify(renewal)).not.toContain(late.credential.document_number);
    });

    it('waits for a concurrent change of the customer; a sign-in without renewal does not', async () => {
      const customer = await customers.new({ credentialType: 'hour' });
      const other = await Database.connect({ url: stack.database.ownerUrl, pool: 1, applicationName: 'test' });
      /** Locks the customer while `work` runs. */
      const whileLocked = (work: () => Promise<void>) =>
        other.transaction(async (sql) => {
          await sql.rows({ name: '', text: 'SET LOCAL idle_in_transaction_session_timeout = 0' });
          const lock = `SELECT FROM issuance.subject WHERE id = '${customer.subject}' FOR UPDATE`;
          await sql.rows({ name: '', text: lock });
          await work();
        });
      await whileLocked(async () => {
        await expect(customers.signIn(customer)).resolves.toMatchObject({ outcome: 'signed_in' });
      });
      clock.advance(minutes(40));
      let renewed: ReturnType<typeof customers.signIn> | undefined;
      await whileLocked(async () => {
        renewed = customers.signIn(customer);
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        await eventually(async () => (await stack.database.query(waiting)).length > 0);
      });
      await expect(renewed).resolves.toMatchObject({
        outcome: 'signed_in',
        credential: { expires_at: '2026-11-21T10:40:00.000Z' },
      });
      await other.close();
    });
  });

  describe('an expiration', () => {
    it('is emitted once, with the system as actor, by two replicas', async () => {
      const offers = await Promise.all(Array.from({ length: 40 }, () => customers.offer({ offerExpiresIn: 600 })));
      const held = await Promise.all(Array.from({ length: 20 }, () => customers.new({ credentialType: 'pass' })));
      const erased = offers[0]!;
      await stack.gateway.request(eraseSubject, { subject: erased.subject }, testContext());
      clock.advance(minutes(60));
      const expired = offers.slice(1);
      await eventually(() => {
        for (const { subject } of expired) expect(typesOf(subject)).toContain('offer.expired');
        for (const { subject } of held) expect(typesOf(subject)).toContain('credential.expired');
      });
      await stack.moreRunsOf('expirations', 2);
      for (const { subject } of expired) expect(typesOf(subject)).toEqual(['offer.created', 'offer.expired']);
      for (const { subject } of held)
        expect(typesOf(subject)).toEqual(['offer.created', 'credential.issued', 'credential.expired']);
      await eventually(() =>
        expect(typesOf(erased.subject)).toEqual(['offer.created', 'subject.erasure_started', 'subject.erased']),
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
      const records = expired.map(({ subject }) => customers.eventsOf(subject)[1]!.audit!);
      expect(new Set(records.map((r) => r.id)).size).toBe(expired.length);
      expect(new Set(records.map((r) => r.request.id)).size).toBe(expired.length);
      expect(records[0]).toMatchObject({
        action: 'offer.expire',
        targets: [{ type: 'customer' }, { type: 'credential' }, { type: 'offer', id: expired[0]!.offerId }],
      });
    });
  });
});
