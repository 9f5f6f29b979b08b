import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  listEvents,
  type CustomerEvent,
  type DirectoryEvent,
  type DomainEvent,
  type EventType,
  type PublicEvent,
} from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  createTestDatabase,
  eventBase,
  eventually,
  FakeClock,
  patient,
  startTestBus,
  testConfig,
  testContext,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { SignalsModule } from '../app.module.js';
import { destinationSettings } from '../audit-destinations/settings.fixture.js';
import { migrations } from '../migrations/index.js';
import { maxWaitMs } from './append-in-order.js';
import { allEvents, eventsOfTypes } from './list-events.handler.js';
import { Retention } from './retention.js';

const quiet = createLogger('test', 'fatal');
const day = 86_400_000;

describe('the feed', () => {
  let nats: TestBus;
  let tables: TestDatabase;
  let services: RunningService[];
  let bus: Bus;
  let issuance: NatsConnection;
  let directory: NatsConnection;
  const clock = new FakeClock();

  const start = async () => {
    const config = {
      ...testConfig(nats, 'signals'),
      DATABASE_URL: tables.url(),
      DATABASE_POOL: 4,
      EVENT_RETENTION_DAYS: 35,
      ...destinationSettings,
    };
    const service = await startService({
      service: 'signals',
      config,
      module: SignalsModule,
      clock,
      logger: quiet,
      database: { url: config.DATABASE_URL, pool: 4 },
    });
    services.push(service);
    return service;
  };
  const publish = async (...events: DomainEvent[]) => {
    for (const event of events) {
      const [connection, producer] = /^(app|org)/.test(event.type) ? [directory, 'directory'] : [issuance, 'issuance'];
      await jetstream(connection).publish(`evt.${producer}.${event.type}`, JSON.stringify(event));
    }
  };
  const page = (after?: number, more: { types?: EventType[]; limit?: number } = {}, org = 'acme') =>
    bus.request(listEvents, { limit: 200, ...(after !== undefined && { after }), ...more }, testContext({ org }));
  const events = async (org = 'acme') => (await page(undefined, {}, org)).items;
  const versions = async (subject: string) =>
    (await events()).filter((e) => e.data.subject === subject).map((e) => e.version);
  const connectAs = (user: 'gateway' | 'issuance' | 'directory' | 'deploy') =>
    connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);

  beforeAll(async () => {
    nats = await startTestBus();
    const deploy = await connectAs('deploy');
    await declareStreams(deploy);
    await deploy.close();
    [issuance, directory] = [await connectAs('issuance'), await connectAs('directory')];
    bus = patient(new Bus(await connectAs('gateway')));
  });
  afterAll(async () => {
    await Promise.all([issuance.close(), directory.close(), bus.connection.close()]);
    await nats.stop();
  });
  beforeEach(async () => {
    services = [];
    tables = await createTestDatabase('signals', (url) => migrate('signals', url, migrations), { isCopied: true });
    await start();
  });
  afterEach(async () => {
    await Promise.all(services.map((s) => s.stop()));
    await tables.drop();
  });

  it('contains public events of customers and apps, each once, without their internal members', async () => {
    const [offered, app, suspended] = [offer({ subject: randomUUID() }), appEvent(), organizationEvent()];
    await publish(offered, app, suspended, offered, app);
    await eventually(async () => expect(await events()).toHaveLength(2));
    await publish(offered, offer({ subject: randomUUID() }));
    await eventually(async () => expect(await events()).toHaveLength(3));
    const [first] = (await events()).filter((e) => e.id === offered.id);
    expect(first).toEqual({
      id: offered.id,
      type: 'offer.created',
      occurredAt: offered.occurredAt,
      version: 1,
      data: offered.data,
    });
    expect(JSON.stringify(await events())).not.toContain('requestId');
    expect(await events('other')).toEqual([]);
  });

  it('omits an event without data, but counts its version', async () => {
    const subject = randomUUID();
    const { data: _, ...before } = offer({ subject, version: 1 });
    await publish(before, offer({ subject, version: 2 }));
    await eventually(async () => expect(await versions(subject)).toEqual([2]));
  });

  it('orders the events of each customer by version when they arrive in another order at two replicas', async () => {
    await start();
    const subjects = Array.from({ length: 20 }, () => randomUUID());
    const all = subjects.flatMap((subject) => Array.from({ length: 8 }, (_, i) => offer({ subject, version: i + 1 })));
    // A fixed permutation: 160 and 37 have no common divisor.
    const shuffled = all.map((_, i) => all[(i * 37) % all.length]!);
    await publish(...shuffled, ...all.slice(0, 40));
    await eventually(async () => expect(await events()).toHaveLength(160));
    for (const subject of subjects) expect(await versions(subject)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await tables.query('SELECT seq::int FROM signals.event ORDER BY seq')).toEqual(
      Array.from({ length: 160 }, (_, i) => ({ seq: i + 1 })),
    );
    expect(await tables.query('SELECT 1 FROM signals.early_event')).toEqual([]);
  });

  it('appends an early event after its predecessors, or after a minute', async () => {
    const subject = randomUUID();
    await publish(offer({ subject, version: 3 }), offer({ subject, version: 4 }));
    await eventually(async () => expect(await tables.query('SELECT 1 FROM signals.early_event')).toHaveLength(2));
    expect(await versions(subject)).toEqual([]);
    clock.advance(maxWaitMs);
    await eventually(async () => expect(await versions(subject)).toEqual([3, 4]));
    await publish(offer({ subject, version: 1 }));
    await eventually(async () => expect(await versions(subject)).toEqual([3, 4, 1]));
  });

  describe('an erased customer', () => {
    it('has no events in the feed but the erasure confirmation, whatever arrives later', async () => {
      const [subject, other] = [randomUUID(), randomUUID()];
      await publish(offer({ subject, version: 1 }), offer({ subject: other }), offer({ subject, version: 4 }));
      await eventually(async () => {
        const early = await tables.query('SELECT 1 FROM signals.early_event');
        expect([...(await versions(subject)), ...early]).toHaveLength(2);
      });
      const cursor = (await page()).next;
      const erasureStarted = customerEvent('subject.erasure_started', { subject, version: 6 });
      await publish(erasureStarted);
      await eventually(async () => expect(await versions(subject)).toEqual([]));
      const erased = customerEvent('subject.erased', { subject, version: 6, data: { subject } });
      await publish(erased);
      await eventually(async () => expect((await page(cursor)).items.map((e) => e.type)).toEqual(['subject.erased']));
      await publish(
        offer({ subject, version: 2 }),
        offer({ subject, version: 7 }),
        erased,
        erasureStarted,
        offer({ subject: other, version: 2 }),
      );
      await eventually(async () => expect(await versions(other)).toEqual([1, 2]));
      expect(await versions(subject)).toEqual([6]);
      const rows = await Promise.all(
        ['event', 'early_event', 'aggregate'].map((t) => tables.query(`SELECT t::text FROM signals.${t} t`)),
      );
      expect(JSON.stringify(rows).split(subject)).toHaveLength(2);
    });
  });

  describe('a reader', () => {
    const fill = async (count: number) => {
      await publish(
        ...Array.from({ length: count }, (_, i) => (i % 10 === 0 ? appEvent() : offer({ subject: randomUUID() }))),
      );
      await eventually(async () => expect((await page()).next).toBe(count));
    };

    it('gets each event once, oldest first, and continues later from its cursor', async () => {
      await fill(25);
      const seen: PublicEvent[] = [];
      let after: number | undefined;
      for (let more = true; more;) {
        const { items, next, hasMore } = await page(after, { limit: 10 });
        seen.push(...items);
        [after, more] = [next, hasMore];
      }
      expect(new Set(seen.map((e) => e.id)).size).toBe(25);
      expect(await page(after)).toEqual({ items: [], next: 25, hasMore: false });
      await publish(appEvent());
      await eventually(async () => expect((await page(after)).items.map((e) => e.type)).toEqual(['app.created']));
    });

    it('gets the requested types in one order, and on the last page the cursor of the head', async () => {
      await fill(25);
      const types: EventType[] = ['app.created', 'app.updated'];
      const first = await page(undefined, { types, limit: 2 });
      expect(first).toMatchObject({ hasMore: true, items: [{ type: 'app.created' }, { type: 'app.created' }] });
      const rest = await page(first.next, { types, limit: 2 });
      expect(rest).toMatchObject({ hasMore: false, next: 25, items: [{ type: 'app.created' }] });
    });

    it('has a cursor before there is any event', async () => {
      expect(await page()).toEqual({ items: [], next: 0, hasMore: false });
      await publish(appEvent());
      await eventually(async () => expect((await page(0)).items).toHaveLength(1));
    });

    it('gets a page by index lookups, at the head and the beginning, of all, one or rare types', async () => {
      const count = 100_000;
      await tables.query(`INSERT INTO signals.head (org, seq) VALUES ('acme', ${count}), ('other', ${count})`);
      await tables.query(
        `INSERT INTO signals.event (org, seq, id, type, occurred_at, version, key, data, appended_at)
         SELECT CASE i % 2 WHEN 0 THEN 'acme' ELSE 'other' END, i, gen_random_uuid(), 'offer.created', now(), 1,
                sha256(i::text::bytea), '{}', now()
           FROM generate_series(1, ${count}) i`,
      );
      await tables.query('ANALYZE signals.event');
      // Too rare for a sample to see them.
      await tables.query(`UPDATE signals.event SET type = 'app.created' WHERE seq % 20000 = 0`);
      for (const after of [0, count / 2, count - 60]) {
        const values = ['acme', after, 51];
        const buffers = await Promise.all([
          tables.buffers(allEvents.text, values),
          ...[['offer.created'], ['app.created'], ['app.created', 'offer.created', 'subject.erased']].map((types) =>
            tables.buffers(eventsOfTypes.text, [...values, types]),
          ),
        ]);
        expect(Math.max(...buffers)).toBeLessThanOrEqual(30);
      }
    });

    it('gets page_token_expired when the cursor is older than the retention, or newer than the head', async () => {
      await fill(5);
      clock.advance(35 * day + 1);
      await publish(appEvent());
      await eventually(async () => expect((await page()).next).toBe(6));
      await services[0]!.app.get(Retention, { strict: false }).removeOld();
      expect((await events()).map((e) => e.type)).toEqual(['app.created']);
      await expect(page(4)).rejects.toMatchObject({ code: 'page_token_expired' });
      expect((await page(5)).items).toHaveLength(1);
      await expect(page(7)).rejects.toMatchObject({ code: 'page_token_expired' });
    });

    it('gets page_token_expired after a restore only when the cursor is newer than the backup', async () => {
      await fill(5);
      // What `holdfast restore` does, twice.
      for (const skipped of ['(5, 1000005)', '(1000005, 2000005)'])
        await tables.query('UPDATE signals.head SET seq = seq + 1000000, lost = lost + int8multirange($1::int8range)', [
          skipped,
        ]);
      for (const lost of [6, 1_000_004, 1_000_006])
        await expect(page(lost)).rejects.toMatchObject({ code: 'page_token_expired' });
      await publish(appEvent());
      await eventually(async () => expect((await page(5)).items).toHaveLength(1));
      // A reader that starts again gets every page.
      const first = await page(undefined, { limit: 2 });
      const second = await page(first.next, { limit: 3 });
      expect(second).toMatchObject({ hasMore: true, next: 5 });
      expect((await page(5)).next).toBe(2_000_006);
    });
  });
});

function customerEvent(
  type: CustomerEvent['type'],
  given: Partial<CustomerEvent> & { subject: string },
): CustomerEvent {
  return { ...eventBase(), type, ...given };
}

function offer(given: { subject: string; version?: number }): CustomerEvent {
  const data = {
    subject: given.subject,
    credentialId: randomUUID(),
    credentialType: 'customer',
    offerId: randomUUID(),
    expiresAt: new Date().toISOString(),
  };
  return customerEvent('offer.created', { data, ...given });
}

function appEvent(app: string = randomUUID()): DirectoryEvent {
  return { ...eventBase(), type: 'app.created', app, data: { app } };
}

function organizationEvent(): DirectoryEvent {
  return { ...eventBase(), type: 'organization.updated' };
}
