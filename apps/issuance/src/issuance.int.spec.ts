import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  createOffer,
  eraseSubject,
  quarantines,
  streams,
  withdrawOffer,
  type BusUser,
  type DomainEvent,
  type OfferRequest,
  type RequestContext,
} from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, EventConsumer } from '@holdfast/messaging';
import { createLogger, customerKey } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  collectOnce,
  createTestDatabase,
  eventually,
  startTestBus,
  testContext,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { IssuanceModule } from './app.module.js';
import { configSchema } from './config.js';
import { entities } from './entities.js';
import { migrations } from './migrations/index.js';

const logger = createLogger('test', 'fatal');

describe('issuance', () => {
  let nats: TestBus;
  let database: TestDatabase;
  let service: RunningService;
  const connections: NatsConnection[] = [];
  const consumers: EventConsumer<typeof streams.issuance>[] = [];
  let bus: Bus;
  let received: DomainEvent[] = [];
  /** What auth cannot apply: word of the erasure of these customers. */
  const stuck = new Set<string>();

  const as = async (user: BusUser) => {
    const connection = await connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, logger);
    connections.push(connection);
    return connection;
  };
  /** Stands for the read model and for audit: applies everything at once. */
  const listen = async (consumer: (typeof streams.issuance.consumers)[number]) => {
    const c = new EventConsumer(
      streams.issuance,
      consumer,
      new Bus(await as(consumer)),
      async (events) => {
        if (consumer === 'subjects') collectOnce(received, events);
        if (consumer === 'auth' && events.some((e) => e.type === 'subject.erasure_started' && stuck.has(e.subject)))
          throw new TypeError('a fault of ours');
      },
      { retryAfterMs: 20 },
    );
    c.start();
    consumers.push(c);
    return c;
  };
  const offer = (body: OfferRequest = {}, context: RequestContext = testContext(), idempotencyKey?: string) =>
    bus.request(createOffer, { offer: body, ...(idempotencyKey && { idempotencyKey }) }, context);
  const count = async (table: string) =>
    Number((await database.query(`SELECT count(*) AS n FROM issuance.${table}`))[0]!.n);

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
      BASE_URL: 'http://localhost:8080',
      DATABASE_URL: database.url(),
      KEY_ENCRYPTION_KEY: key(),
      SECRET_PEPPER: key(),
      PRESENCE_KEY: key(),
      LOG_LEVEL: 'fatal',
    });
    service = await startService({
      service: 'issuance',
      config,
      module: IssuanceModule,
      database: { url: config.DATABASE_URL, pool: 8, entities },
      logger,
    });
    bus = new Bus(await as('gateway'));
    // What no consumer has confirmed stays in the outbox.
    for (const consumer of streams.issuance.consumers) await listen(consumer);
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
  });

  it('commits customer, credential, offer, event and record together, and waits for the read model', async () => {
    const context = testContext();
    const { offer: made, replayed } = await offer({}, context);
    expect(replayed).toBe(false);
    expect(made).toMatchObject({
      credentialType: 'customer',
      claimUrl: expect.stringMatching(/^http:\/\/localhost:8080\/o\/acme\/claim#[A-Za-z0-9_-]{43}$/),
    });
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      type: 'offer.created',
      version: 1,
      audit: { id: context.auditId, action: 'offer.create', actor: context.actor },
    });
  });

  it('stores no claim token, in no table and no event', async () => {
    const { offer: made } = await offer({}, testContext(), 'a-key');
    const token = made.claimUrl.split('#')[1]!;
    const dump = JSON.stringify([
      await database.query('SELECT * FROM issuance.offer'),
      await database.query('SELECT * FROM issuance.idempotency'),
      received,
      await database.query('SELECT payload FROM issuance.outbox'),
    ]);
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('answers the same key with the same answer, and another body with a refusal', async () => {
    const context = testContext({ actor: { type: 'app', id: 'app-keys' } });
    const first = await offer({}, context, 'k1');
    await expect(offer({}, context, 'k1')).resolves.toEqual({ ...first, replayed: true });
    await expect(offer({ offerExpiresIn: 700 }, context, 'k1')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    const other = await offer({}, testContext({ actor: { type: 'app', id: 'app-other' } }), 'k1');
    expect(other.offer.subject).not.toBe(first.offer.subject);
  });

  it('makes one offer of fifty requests with one key at once', async () => {
    const context = () => testContext({ actor: { type: 'app', id: 'app-race' } });
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => offer({}, context(), 'one')));
    const made = results.flatMap((r) => (r.status === 'fulfilled' ? r.value : []));
    const refused = results.flatMap((r) => (r.status === 'rejected' ? [r.reason as { code: string }] : []));
    expect(made.filter((m) => !m.replayed)).toHaveLength(1);
    expect(new Set(made.map((m) => m.offer.subject)).size).toBe(1);
    expect(new Set(refused.map((e) => e.code))).toEqual(
      refused.length ? new Set(['idempotency_in_progress']) : new Set(),
    );
    expect((await database.query(`SELECT 1 FROM issuance.subject WHERE app = 'app-race'`)).length).toBe(1);
  });

  it('offers again to its own customer only, and supersedes the open offer', async () => {
    const { offer: first } = await offer();
    const { offer: second } = await offer({ subject: first.subject });
    expect(second).toMatchObject({ subject: first.subject, credentialId: first.credentialId });
    expect(second.offerId).not.toBe(first.offerId);
    await expect(bus.request(withdrawOffer, { offerId: first.offerId }, testContext())).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(
      offer({ subject: first.subject }, testContext({ actor: { type: 'app', id: 'kiosk' } })),
    ).rejects.toMatchObject({ code: 'unknown_subject' });
    await expect(offer({ subject: first.subject }, testContext({ org: 'globex' }))).rejects.toMatchObject({
      code: 'unknown_subject',
    });
  });

  it('lets twenty further offers at once leave exactly one open', async () => {
    const { offer: first } = await offer();
    await Promise.all(Array.from({ length: 20 }, () => offer({ subject: first.subject })));
    const states = await database.query('SELECT status FROM issuance.offer WHERE subject = $1', [first.subject]);
    expect(states.filter((s) => s.status === 'open')).toHaveLength(1);
    expect(states).toHaveLength(21);
    const versions = received.filter((e) => 'subject' in e && e.subject === first.subject).map((e) => e.version);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 41 }, (_, i) => i + 1));
  });

  it('withdraws once, however many ask', async () => {
    const { offer: made } = await offer();
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => bus.request(withdrawOffer, { offerId: made.offerId }, testContext())),
    );
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
  });

  it('erases once, with everything, and keeps only hashes', async () => {
    const context = testContext({ actor: { type: 'app', id: 'app-erase' } });
    const { offer: made } = await offer({}, context, 'gone');
    await eventually(
      async () =>
        (await database.query('SELECT 1 FROM issuance.outbox WHERE aggregate = $1', [made.subject])).length === 0,
      10_000,
    );
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        bus.request(eraseSubject, { subject: made.subject }, { ...context, auditId: testContext().auditId }),
      ),
    );
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    for (const table of ['subject', 'credential', 'offer', 'idempotency']) {
      expect(JSON.stringify(await database.query(`SELECT * FROM issuance.${table}`))).not.toContain(made.subject);
    }
    expect(
      await database.query('SELECT 1 FROM issuance.erased WHERE hash = $1', [customerKey('acme', made.subject)]),
    ).toHaveLength(1);
    expect(
      await database.query(
        "SELECT type FROM (SELECT payload::json->>'type' AS type FROM issuance.outbox WHERE aggregate = $1) e",
        [made.subject],
      ),
    ).toEqual([{ type: 'subject.erasure_started' }]);
    await expect(offer({}, context, 'gone')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('gives the receipt of an erasure when every service has confirmed it, once', async () => {
    const { offer: made } = await offer();
    const late = consumers.pop()!;
    await late.stop();
    await bus.request(eraseSubject, { subject: made.subject }, testContext());
    const about = () => received.filter((e) => 'subject' in e && e.subject === made.subject);
    const confirmations = () => about().filter((e) => e.type === 'subject.erased');
    await new Promise((resolve) => setTimeout(resolve, 4500));
    expect(about().map((e) => e.type)).toEqual(['offer.created', 'subject.erasure_started']);
    await listen(streams.issuance.consumers.at(-1)!);
    await eventually(() => expect(confirmations()).toHaveLength(1), 10_000);
    expect(confirmations()[0]).toMatchObject({ subject: made.subject, version: 2, data: { subject: made.subject } });
    expect(confirmations()[0]).not.toHaveProperty('audit');
    await eventually(
      async () =>
        expect(await database.query(`SELECT 1 FROM issuance.outbox WHERE aggregate = $1`, [made.subject])).toEqual([]),
      10_000,
    );
    expect(confirmations()).toHaveLength(1);
  }, 30_000);

  it('gives no receipt of an erasure that a service has quarantined, and does once that one has applied it', async () => {
    const { offer: made } = await offer();
    stuck.add(made.subject);
    const receipt = () => received.find((e) => e.type === 'subject.erased' && e.subject === made.subject);
    await bus.request(eraseSubject, { subject: made.subject }, testContext());
    const operator = new Bus(await as('operator'));
    const list = () => operator.request(quarantines.issuance.list, {}, testContext());
    await eventually(
      async () =>
        expect(await list()).toMatchObject({
          count: 1,
          events: [{ type: 'subject.erasure_started', consumer: 'auth', reason: 'TypeError' }],
        }),
      10_000,
    );
    // Another erasure behind it has its receipt: the quarantined one holds up nobody.
    const { offer: other } = await offer();
    await bus.request(eraseSubject, { subject: other.subject }, testContext());
    await eventually(
      () => expect(received.filter((e) => e.type === 'subject.erased' && e.subject === other.subject)).toHaveLength(1),
      15_000,
    );
    expect(receipt()).toBeUndefined();
    expect(await operator.request(quarantines.issuance.retry, {}, testContext())).toEqual({ retried: 1 });
    await eventually(async () => expect(await list()).toMatchObject({ count: 1 }), 10_000);
    expect(receipt()).toBeUndefined();
    stuck.clear();
    await operator.request(quarantines.issuance.retry, {}, testContext());
    await eventually(() => expect(receipt()).toBeDefined(), 15_000);
    expect((await list()).count).toBe(0);
  });

  it('stores nothing for what it refuses', async () => {
    const before = [await count('subject'), await count('outbox')];
    await expect(offer({ credentialType: 'unheard-of' })).rejects.toMatchObject({
      code: 'unknown_credential_type',
      status: 422,
    });
    await expect(offer({ offerExpiresIn: 5 })).rejects.toMatchObject({ code: 'invalid_request', status: 422 });
    await expect(offer({ subject: '00000000-0000-4000-8000-000000000009' })).rejects.toMatchObject({
      code: 'unknown_subject',
    });
    expect([await count('subject'), await count('outbox')]).toEqual(before);
  });

  it('announces that the read model is behind before it answers', async () => {
    await consumers[0]!.stop();
    const { offer: made } = await offer();
    const key = customerKey('acme', made.subject);
    expect(
      await database.query('SELECT version FROM watermarks.subjects WHERE org = $1 AND aggregate = $2', ['acme', key]),
    ).toEqual([{ version: 1 }]);
    await listen('subjects');
    await eventually(() => received.some((e) => 'subject' in e && e.subject === made.subject), 10_000);
  });

  it('says unavailable, and stores nothing, while the database is unavailable', async () => {
    const before = await count('subject');
    await database.refuseConnections(true);
    await expect(offer()).rejects.toMatchObject({ code: 'unavailable' });
    await database.refuseConnections(false);
    expect(await count('subject')).toBe(before);
    await eventually(() => offer().then(() => true), 10_000);
  });
});
