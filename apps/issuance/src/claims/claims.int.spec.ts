import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  beginClaim,
  beginSignIn,
  completeClaim,
  completeSignIn,
  createOffer,
  customerStatus,
  eraseSubject,
  getClaim,
  streams,
  withdrawOffer,
  type BusUser,
  type CustomerEvent,
  type DomainEvent,
  type OfferRequest,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, EventConsumer } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  collectOnce,
  createTestDatabase,
  FakeClock,
  SoftwareAuthenticator,
  startTestBus,
  testContext,
  type CeremonyOptions,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { IssuanceModule } from '../app.module.js';
import { configSchema } from '../config.js';
import { entities } from '../entities.js';
import { migrations } from '../migrations/index.js';

const origin = 'http://localhost:8080';
const start = '2026-11-21T09:00:00.000Z';
const minutes = (n: number) => n * 60_000;
/** Hash of the secret of the browser in which ceremonies run. */
const browser = 'b'.repeat(43);

describe('claim and sign in', () => {
  let nats: TestBus;
  let database: TestDatabase;
  let service: RunningService;
  let gateway: Bus;
  let auth: Bus;
  let received: DomainEvent[] = [];
  const clock = new FakeClock(start);
  const lines: string[] = [];
  const connections: NatsConnection[] = [];
  const consumers: EventConsumer<typeof streams.issuance>[] = [];
  const logger = createLogger('test', 'debug', '1', { write: (line: string) => void lines.push(line) });

  const as = async (user: BusUser) => {
    const connection = await connectBus(
      { url: nats.url, nkeySeed: nats.seed(user), user },
      createLogger('test', 'fatal'),
    );
    connections.push(connection);
    return connection;
  };
  const anonymous = (org = 'acme') => testContext({ org, actor: { type: 'anonymous', id: 'anonymous' } });
  const offer = async (body: OfferRequest = {}, context: RequestContext = testContext()) => {
    const { offer: made } = await gateway.request(createOffer, { offer: body }, context);
    return { ...made, token: made.claimUrl.split('#')[1]! };
  };
  const begin = async (token: string, org = 'acme') =>
    (await gateway.request(beginClaim, { token, organizationName: 'Acme', browser }, anonymous(org))).options;
  const complete = (token: string, response: RequestOf<typeof completeClaim>['response'], org = 'acme') =>
    gateway.request(completeClaim, { token, response, browser }, anonymous(org));
  const claim = async (
    token: string,
    authenticator = new SoftwareAuthenticator(),
    ceremony: Partial<CeremonyOptions> = {},
    org = 'acme',
  ) => complete(token, authenticator.register(await begin(token, org), { origin, ...ceremony }), org);
  const holder = async (body: OfferRequest = {}, authenticator = new SoftwareAuthenticator(), org = 'acme') => {
    const made = await offer(body, testContext({ org }));
    await claim(made.token, authenticator, {}, org);
    return { ...made, authenticator };
  };
  const signInOptions = async (interaction = 'i1', org = 'acme') =>
    (await auth.request(beginSignIn, { interaction }, anonymous(org))).options;
  const finish = (
    response: RequestOf<typeof completeSignIn>['response'],
    {
      interaction = 'i1',
      org = 'acme',
      credentialType,
    }: { interaction?: string; org?: string; credentialType?: string } = {},
  ) =>
    auth.request(completeSignIn, { interaction, response, ...(credentialType && { credentialType }) }, anonymous(org));
  const signIn = async (authenticator: SoftwareAuthenticator, ceremony: Partial<CeremonyOptions> = {}, org = 'acme') =>
    finish(authenticator.authenticate(await signInOptions('i1', org), { origin, ...ceremony }), { org });
  const refused = (code: string) => expect.objectContaining({ code });
  const eventsOf = (subject: string) =>
    received.filter((e): e is CustomerEvent => 'subject' in e && e.subject === subject);

  beforeAll(async () => {
    [nats, database] = await Promise.all([
      startTestBus(),
      createTestDatabase('issuance', (url) => migrate('issuance', url, migrations)),
    ]);
    await declareStreams(await as('deploy'));
    const key = () => randomBytes(32).toString('base64url');
    const config = configSchema.parse({
      NATS_URL: nats.url,
      NATS_NKEY_SEED: nats.seed('issuance'),
      BASE_URL: origin,
      DATABASE_URL: database.url(),
      KEY_ENCRYPTION_KEY: key(),
      SECRET_PEPPER: key(),
      PRESENCE_KEY: key(),
      LOG_LEVEL: 'debug',
    });
    service = await startService({
      service: 'issuance',
      config,
      module: IssuanceModule,
      database: { url: config.DATABASE_URL, pool: 8, entities },
      logger,
      clock,
    });
    gateway = new Bus(await as('gateway'));
    auth = new Bus(await as('auth'));
    for (const consumer of streams.issuance.consumers) {
      const c = new EventConsumer(
        streams.issuance,
        consumer,
        new Bus(await as(consumer)),
        async (events) => void (consumer === 'subjects' && collectOnce(received, events)),
      );
      c.start();
      consumers.push(c);
    }
  });
  afterAll(async () => {
    await service?.stop();
    for (const consumer of consumers) await consumer.stop();
    for (const connection of connections) await connection.close();
    await nats?.stop();
    await database?.drop();
  });
  beforeEach(() => {
    received = [];
    clock.set(start);
  });

  describe('a claim', () => {
    it('issues the credential, keeps the passkey and says so in one event, as the customer', async () => {
      const { token, subject, credentialId, offerId } = await offer({ validUntil: '2027-01-01T00:00:00Z' });
      await expect(gateway.request(getClaim, { token }, anonymous())).resolves.toEqual({
        state: 'open',
        credentialType: { name: 'customer', display: 'Customer' },
        recovery: false,
        expiresAt: '2026-11-24T09:00:00.000Z',
      });
      const authenticator = new SoftwareAuthenticator({ aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349', synced: true });
      await expect(claim(token, authenticator)).resolves.toEqual({ subject });
      const [, event] = eventsOf(subject);
      expect(event).toMatchObject({
        type: 'credential.issued',
        version: 2,
        audit: { action: 'credential.claim', actor: { type: 'customer', id: subject }, outcome: { result: 'success' } },
      });
      expect(event!.audit!.targets.map((t) => [t.type, t.id, t.dataSubject])).toEqual([
        ['customer', subject, subject],
        ['credential', credentialId, subject],
        ['offer', offerId, subject],
      ]);
      expect(event!.state!.credentials[0]).toMatchObject({
        status: 'issued',
        issuedAt: start,
        holderClaimedAt: start,
        holderApp: 'Bitwarden',
        expiresAt: '2027-01-01T00:00:00.000Z',
      });
      expect(authenticator.passkeys[0]).toMatchObject({
        rpId: 'localhost',
        userName: expect.stringMatching(/^Acme · [0-9A-Z]{4}$/),
      });
      expect(JSON.stringify(authenticator.passkeys)).not.toContain(subject);
      await expect(gateway.request(getClaim, { token }, anonymous())).resolves.toMatchObject({ state: 'claimed' });
      await expect(begin(token)).rejects.toEqual(refused('claim_spent'));
    });

    it('is won by one of fifty authenticators at once', async () => {
      const { token, subject } = await offer();
      const answers = await Promise.all(
        Array.from({ length: 50 }, async () => new SoftwareAuthenticator().register(await begin(token), { origin })),
      );
      const results = await Promise.allSettled(answers.map((answer) => complete(token, answer)));
      expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
      expect(results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as { code: string }).code] : []))).toEqual(
        Array.from({ length: 49 }, () => 'claim_spent'),
      );
      expect(await database.query('SELECT 1 FROM issuance.passkey WHERE subject = $1', [subject])).toHaveLength(1);
      expect(eventsOf(subject).map((e) => e.type)).toEqual(['offer.created', 'credential.issued']);
    });

    it('is refused when the offer ended, at each step and with the ceremony half done', async () => {
      const { token } = await offer({ offerExpiresIn: 600 });
      clock.advance(minutes(9));
      const answer = new SoftwareAuthenticator().register(await begin(token), { origin });
      clock.advance(minutes(1));
      await expect(complete(token, answer)).rejects.toEqual(refused('claim_expired'));
      await expect(begin(token)).rejects.toEqual(refused('claim_expired'));
      await expect(gateway.request(getClaim, { token }, anonymous())).resolves.toMatchObject({ state: 'expired' });

      const { token: second, offerId } = await offer();
      const half = new SoftwareAuthenticator().register(await begin(second), { origin });
      await gateway.request(withdrawOffer, { offerId }, testContext());
      await expect(complete(second, half)).rejects.toEqual(refused('claim_withdrawn'));
      await expect(begin(second)).rejects.toEqual(refused('claim_withdrawn'));
      await expect(gateway.request(getClaim, { token: second }, anonymous())).resolves.toMatchObject({
        state: 'withdrawn',
      });
    });

    it.each<[string, Partial<CeremonyOptions>]>([
      ['another origin', { origin: 'https://evil.example' }],
      ['another RP ID', { rpId: 'evil.example' }],
      ['an unverified user', { userVerified: false }],
    ])('is refused with %s, and the answer is used up', async (_, ceremony) => {
      const { token, subject } = await offer();
      const answer = new SoftwareAuthenticator().register(await begin(token), { origin, ...ceremony });
      await expect(complete(token, answer)).rejects.toEqual(refused('passkey_invalid'));
      await expect(complete(token, answer)).rejects.toEqual(refused('ceremony_expired'));
      expect(eventsOf(subject)).toHaveLength(1);
      await expect(claim(token)).resolves.toEqual({ subject });
    });

    it('takes an answer for its own offer only, once, for five minutes', async () => {
      const [one, two] = [await offer(), await offer()];
      const answer = new SoftwareAuthenticator().register(await begin(one.token), { origin });
      await expect(complete(two.token, answer)).rejects.toEqual(refused('ceremony_expired'));
      clock.advance(minutes(5));
      await expect(complete(one.token, answer)).rejects.toEqual(refused('ceremony_expired'));
      const late = new SoftwareAuthenticator().register(await begin(one.token), { origin });
      clock.advance(minutes(5) - 1);
      const results = await Promise.allSettled(Array.from({ length: 50 }, () => complete(one.token, late)));
      expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    });

    it('knows no token of another organization, and no passkey twice', async () => {
      const { token } = await offer();
      for (const ask of [
        () => begin(token, 'globex'),
        () => gateway.request(getClaim, { token }, anonymous('globex')),
        () => complete(token, {}, 'globex'),
      ])
        await expect(ask()).rejects.toEqual(refused('unknown_claim'));
      const credentialId = randomBytes(16);
      await claim(token, new SoftwareAuthenticator(), { credentialId });
      const { token: other } = await offer();
      await expect(claim(other, new SoftwareAuthenticator(), { credentialId })).rejects.toMatchObject({
        code: 'passkey_invalid',
        detail: expect.stringContaining('registered already'),
      });
      await expect(claim(other)).resolves.toBeDefined();
    });

    it('of a credential that is held replaces the passkey (recovery)', async () => {
      const { subject, authenticator } = await holder();
      const before = await auth.request(customerStatus, { subject }, anonymous());
      clock.advance(minutes(60));
      const recovery = await offer({ subject });
      await expect(gateway.request(getClaim, { token: recovery.token }, anonymous())).resolves.toMatchObject({
        state: 'open',
        recovery: true,
      });
      const old = await signIn(authenticator);
      const replacement = new SoftwareAuthenticator();
      await claim(recovery.token, replacement);
      expect(eventsOf(subject).map((e) => e.type)).toEqual([
        'offer.created',
        'credential.issued',
        'offer.created',
        'credential.rekeyed',
      ]);
      await expect(signIn(authenticator)).resolves.toEqual({ outcome: 'refused', reason: 'unknown_passkey' });
      const after = await signIn(replacement);
      if (before.state !== 'live' || after.outcome !== 'signed_in') throw new Error('not live');
      expect(after).toMatchObject({
        subject,
        credential: { id: before.credential.id, issued_at: before.credential.issued_at },
      });
      expect(after.credential.document_number).not.toBe(before.credential.document_number);
      expect(replacement.passkeys[0]!.userHandle).toBe(authenticator.passkeys[0]!.userHandle);
      // The clock stood still: what tells the two sign-ins apart is the customer's version.
      const status = await auth.request(customerStatus, { subject }, anonymous());
      if (status.state !== 'live' || old.outcome !== 'signed_in') throw new Error('not live');
      expect(status.since).toBeGreaterThan(old.version!);
      expect(after.version).toBeGreaterThanOrEqual(status.since!);
    });

    it('of a further type leaves older sign-ins as they are', async () => {
      const { subject, authenticator } = await holder();
      const old = await signIn(authenticator);
      await database.query(
        `INSERT INTO issuance.credential_type (org, name, display, revocable, holders) VALUES ('acme', 'pass', 'Pass', true, '{passkey}')`,
      );
      await claim((await offer({ subject, credentialType: 'pass' })).token, new SoftwareAuthenticator());
      const status = await auth.request(customerStatus, { subject, credentialType: 'pass' }, anonymous());
      if (status.state !== 'live' || old.outcome !== 'signed_in') throw new Error('not live');
      expect(status.since).toBeLessThanOrEqual(old.version!);
    });
  });

  describe('a sign-in', () => {
    it('names the customer and the credential, and notes the use', async () => {
      const { subject, credentialId, authenticator } = await holder();
      const result = await signIn(authenticator);
      expect(result).toEqual({
        outcome: 'signed_in',
        subject,
        credential: {
          id: credentialId,
          type: 'customer',
          document_number: expect.stringMatching(/^[0-9A-Z]{16}$/),
          issued_at: start,
        },
        version: 2,
        deviceBound: true,
      });
      await expect(auth.request(customerStatus, { subject }, anonymous())).resolves.toEqual({
        state: 'live',
        credential: (result as { credential: object }).credential,
        since: 0,
      });
      expect(
        await database.query('SELECT counter, last_used_at FROM issuance.passkey WHERE subject = $1', [subject]),
      ).toEqual([{ counter: 1, last_used_at: new Date(start) }]);
    });

    it.each<[string, Partial<CeremonyOptions>]>([
      ['another origin', { origin: 'http://localhost:9090' }],
      ['an unverified user', { userVerified: false }],
      ['a wrong signature', { badSignature: true }],
      ['another handle', { userHandle: randomBytes(32).toString('base64url') }],
      ['a counter that stands still', { counter: 0 }],
    ])('is refused with %s, and can be tried again', async (_, ceremony) => {
      const { authenticator } = await holder();
      await signIn(authenticator);
      await expect(signIn(authenticator, ceremony)).rejects.toEqual(refused('passkey_invalid'));
      await expect(signIn(authenticator, { counter: 9 })).resolves.toMatchObject({ outcome: 'signed_in' });
    });

    it('takes one answer of fifty times the same, in its own interaction and organization, for ten minutes', async () => {
      const { authenticator } = await holder({}, new SoftwareAuthenticator({ synced: true }));
      const answer = authenticator.authenticate(await signInOptions('i1'), { origin });
      await expect(finish(answer, { interaction: 'i2' })).rejects.toEqual(refused('ceremony_expired'));
      await expect(finish(answer, { org: 'globex' })).rejects.toEqual(refused('ceremony_expired'));
      clock.advance(minutes(10) - 1);
      const results = await Promise.allSettled(Array.from({ length: 50 }, () => finish(answer)));
      expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
      const late = authenticator.authenticate(await signInOptions(), { origin });
      clock.advance(minutes(10));
      await expect(finish(late)).rejects.toEqual(refused('ceremony_expired'));
    });

    it('stores nothing until an answer was verified, however many are begun or answered wrongly', async () => {
      const { authenticator } = await holder();
      const rows = () => database.query('SELECT hash FROM issuance.challenge');
      const before = await rows();
      for (let i = 0; i < 20; i += 1) {
        const answer = authenticator.authenticate(await signInOptions('busy'), { origin, badSignature: true });
        await expect(finish(answer, { interaction: 'busy' })).rejects.toEqual(refused('passkey_invalid'));
        await expect(finish(answer, { interaction: 'idle' })).rejects.toEqual(refused('ceremony_expired'));
      }
      expect(await rows()).toEqual(before);
      expect([(await signIn(authenticator, { counter: 50 })).outcome, (await rows()).length]).toEqual([
        'signed_in',
        before.length + 1,
      ]);
    });

    it("refuses another organization's passkey, which stays usable at home, and one that nobody knows", async () => {
      const both = new SoftwareAuthenticator();
      const acme = await holder({}, both);
      const globex = await holder({}, both, 'globex');
      expect(both.passkeys).toHaveLength(2);
      const passkey = both.passkeys[0]!.id;
      await expect(signIn(both, { passkey }, 'globex')).resolves.toEqual({
        outcome: 'refused',
        reason: 'other_organization',
      });
      expect(
        await database.query('SELECT counter, last_used_at FROM issuance.passkey WHERE credential_id = $1', [passkey]),
      ).toEqual([{ counter: 0, last_used_at: null }]);
      await expect(signIn(both, { passkey })).resolves.toMatchObject({ outcome: 'signed_in', subject: acme.subject });
      await expect(signIn(both, {}, 'globex')).resolves.toMatchObject({
        outcome: 'signed_in',
        subject: globex.subject,
      });
      const stranger = new SoftwareAuthenticator();
      stranger.register(await begin((await offer()).token), { origin });
      await expect(signIn(stranger)).resolves.toEqual({ outcome: 'refused', reason: 'unknown_passkey' });
    });

    it('needs a live credential of the wanted type', async () => {
      const { subject, authenticator } = await holder({ validUntil: '2026-11-25T00:00:00Z' });
      const noLive = { outcome: 'refused', reason: 'no_live_credential', subject };
      await expect(
        finish(authenticator.authenticate(await signInOptions(), { origin }), { credentialType: 'membership' }),
      ).resolves.toEqual(noLive);
      await expect(
        auth.request(customerStatus, { subject, credentialType: 'membership' }, anonymous()),
      ).resolves.toEqual({ state: 'not_live' });
      clock.set('2026-11-24T23:59:59.999Z');
      await expect(signIn(authenticator)).resolves.toMatchObject({
        outcome: 'signed_in',
        credential: { expires_at: '2026-11-25T00:00:00.000Z' },
      });
      clock.set('2026-11-25T00:00:00.000Z');
      await expect(signIn(authenticator)).resolves.toEqual(noLive);
      clock.set(start);
      for (const status of ['suspended', 'revoked']) {
        await database.query('UPDATE issuance.credential SET status = $2 WHERE subject = $1', [subject, status]);
        await expect(signIn(authenticator)).resolves.toEqual(noLive);
        await expect(auth.request(customerStatus, { subject }, anonymous())).resolves.toEqual({ state: 'not_live' });
      }
      await expect(auth.request(customerStatus, { subject }, anonymous('globex'))).resolves.toEqual({
        state: 'unknown',
      });
    });
  });

  it('erases keys, handles and challenges with the customer: nothing of the claim or sign-in is left', async () => {
    const { subject, token, authenticator } = await holder();
    const { token: open } = await offer({ subject });
    const half = new SoftwareAuthenticator().register(await begin(open), { origin });
    await gateway.request(eraseSubject, { subject }, testContext());
    for (const table of ['webauthn_user', 'passkey', 'challenge', 'credential', 'offer']) {
      const dump = JSON.stringify(await database.query(`SELECT * FROM issuance.${table}`));
      expect(dump).not.toContain(subject);
      expect(dump).not.toContain(authenticator.passkeys[0]!.id);
    }
    for (const t of [token, open])
      await expect(gateway.request(getClaim, { token: t }, anonymous())).rejects.toEqual(refused('unknown_claim'));
    await expect(complete(open, half)).rejects.toEqual(refused('unknown_claim'));
    await expect(signIn(authenticator)).resolves.toEqual({ outcome: 'refused', reason: 'unknown_passkey' });
    await expect(auth.request(customerStatus, { subject }, anonymous())).resolves.toEqual({ state: 'unknown' });
    const log = lines.join('');
    expect(log).toContain('refused a passkey');
    for (const secret of [subject, token, open, authenticator.passkeys[0]!.userHandle])
      expect(log).not.toContain(secret);
  });
});
