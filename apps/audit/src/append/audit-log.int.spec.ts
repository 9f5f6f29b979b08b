import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  appendRecords,
  getAuditEvent,
  listAuditEvents,
  type AuditRecord,
  type CustomerEvent,
  type DirectoryEvent,
  type DomainEvent,
} from '@holdfast/contracts';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import { eventually, FakeClock, startTestBus, testContext, type TestBus, type TestDatabase } from '@holdfast/testing';
import { AuditModule } from '../app.module.js';
import { auditConfig, auditDatabase, auditKeys } from '../audit.fixture.js';
import { patience } from '../quarantine/pending-records.js';

const quiet = createLogger('test', 'fatal');

describe('the log', () => {
  let nats: TestBus;
  let tables: TestDatabase;
  let services: RunningService[];
  let bus: Bus;
  let issuance: NatsConnection;
  let directory: NatsConnection;
  const clock = new FakeClock();
  const keys = auditKeys();

  const start = async () => {
    const config = auditConfig(nats, tables, keys);
    const service = await startService({
      service: 'audit',
      config,
      module: AuditModule,
      clock,
      logger: quiet,
      database: { url: config.DATABASE_URL, pool: 4 },
    });
    services.push(service);
    return service;
  };
  const append = (...records: AuditRecord[]) =>
    bus.request(appendRecords, { records: records.map((r) => ({ org: 'acme', record: r })) }, testContext());
  const guess = (r: AuditRecord) =>
    bus.request(appendRecords, { records: [{ org: 'acme', record: r, provisional: true }] }, testContext());
  const list = async (filter = {}, org = 'acme') =>
    (await bus.request(listAuditEvents, { filter, limit: 200 }, testContext({ org }))).items;
  const publish = async (event: DomainEvent) => {
    const [connection, producer] = 'subject' in event ? [issuance, 'issuance'] : [directory, 'directory'];
    await jetstream(connection).publish(`evt.${producer}.${event.type}`, JSON.stringify(event));
  };
  const connectAs = (user: 'gateway' | 'issuance' | 'directory' | 'deploy') =>
    connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);

  beforeAll(async () => {
    nats = await startTestBus();
    const deploy = await connectAs('deploy');
    await declareStreams(deploy);
    await deploy.close();
    [issuance, directory] = [await connectAs('issuance'), await connectAs('directory')];
    bus = new Bus(await connectAs('gateway'));
  });
  afterAll(async () => {
    await Promise.all([issuance.close(), directory.close(), bus.connection.close()]);
    await nats.stop();
  });
  beforeEach(async () => {
    services = [];
    tables = await auditDatabase();
    await start();
  });
  afterEach(async () => {
    await Promise.all(services.map((s) => s.stop()));
    await tables.drop();
  });

  it('has no gap and no repetition under twenty writers and two replicas', async () => {
    await start();
    const writers = Array.from({ length: 20 }, async (_, writer) => {
      for (let i = 0; i < 25; i += 1) {
        const org = `org-${(writer + i) % 3}`;
        const records = [record(), record({ targets: [customer(`${i}`)] })].map((r) => ({ org, record: r }));
        await bus.request(appendRecords, { records }, testContext());
        // A repeated message changes nothing.
        if (i % 5 === 0) await bus.request(appendRecords, { records }, testContext());
      }
    });
    await Promise.all(writers);
    const logs = await tables.query(
      'SELECT org, count(*)::int AS n, max(seq)::int AS last, (SELECT seq::int FROM audit.head h WHERE h.org = e.org) AS head FROM audit.place e GROUP BY org',
    );
    expect(logs).toHaveLength(3);
    for (const log of logs) expect(log).toMatchObject({ last: log.n, head: log.n });
    expect(logs.reduce((sum, log) => sum + Number(log.n), 0)).toBe(1000);
    // One pseudonym for each customer and organization, however many met it first at the same time.
    expect(await tables.query('SELECT count(*)::int AS n FROM audit.pseudonym')).toEqual([{ n: 75 }]);
  });

  it("keeps one caller's calls in their order", async () => {
    const records = Array.from({ length: 30 }, () => record());
    for (const r of records) await append(r);
    expect((await list()).map((e) => e.id)).toEqual(records.map((r) => r.id).reverse());
  });

  it('takes records from both streams', async () => {
    const [a, b] = [record({ action: 'offer.create' }), record({ action: 'app.create' })];
    await publish(issuanceEvent({ audit: a }));
    await publish(directoryEvent({ audit: b }));
    await publish(directoryEvent({ audit: b }));
    await eventually(async () =>
      expect((await list()).map((e) => e.action).sort()).toEqual(['app.create', 'offer.create']),
    );
  });

  it('gives an event by its id, to its own organization', async () => {
    const r = record({ targets: [customer('c')], changes: { status: { from: 'offered', to: 'issued' } } });
    await append(r);
    const { dataSubject: _, ...target } = r.targets[0]!;
    await expect(bus.request(getAuditEvent, { id: r.id }, testContext())).resolves.toEqual({
      ...r,
      seq: 1,
      targets: [target],
    });
    await expect(bus.request(getAuditEvent, { id: r.id }, testContext({ org: 'other' }))).rejects.toMatchObject({
      code: 'unknown_event',
    });
  });

  it('ends a page that no message could hold, and goes on behind it', async () => {
    const uri = (n: number) => `https://shop.example/${n}/${'ü'.repeat(1000)}`;
    const changes = {
      redirectUris: {
        from: Array.from({ length: 40 }, (_, n) => uri(n)),
        to: Array.from({ length: 40 }, (_, n) => uri(n + 1)),
      },
    };
    // 80 strings of two thousand bytes each, in each of eight.
    for (let n = 0; n < 8; n += 1) await append(record({ action: 'app.update', changes }));
    await append(record());
    const seqs: number[] = [];
    let pages = 0;
    for (let before: number | undefined; ; pages += 1) {
      const page = await bus.request(
        listAuditEvents,
        { filter: {}, limit: 9, ...(before !== undefined && { before }) },
        testContext(),
      );
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(600_000);
      seqs.push(...page.items.map((e) => e.seq));
      if (page.next === undefined) break;
      before = page.next;
    }
    expect(seqs).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(pages).toBeGreaterThan(1);
  });

  it('stores what no column can hold, finds it, and lets it spoil nothing', async () => {
    const odd = ['a\0b', 'a\uFFFDb', 'a\uD800b', 'x'.repeat(5000), `${'x'.repeat(126)}\u{1F600}x`];
    await append(
      record(),
      record({ targets: odd.map((id) => ({ type: 'app', id })) }),
      record({ targets: odd.map((id) => customer(id)) }),
      record(),
    );
    expect((await list()).map((e) => e.seq)).toEqual([4, 3, 2, 1]);
    expect((await list({ target: 'a\0b' })).map((e) => e.seq)).toEqual([3]);
    expect((await list({ target: 'a\0b' }))[0]!.targets[0]!.id).toBe('a\uFFFDb');
  });

  it('says unavailable and writes nothing while the database is away, and goes on afterwards', async () => {
    await append(record());
    await tables.refuseConnections(true);
    await expect(append(record(), record())).rejects.toMatchObject({ code: 'unavailable' });
    const missed = record({ action: 'app.create' });
    await publish(directoryEvent({ audit: missed }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await tables.refuseConnections(false);
    await eventually(async () => expect((await list()).map((e) => e.seq)).toEqual([2, 1]), 15_000);
    expect((await list())[0]!.id).toBe(missed.id);
  });

  it('only grows: neither the service nor the owner can change what stands', async () => {
    await append(record({ targets: [customer('c')] }));
    for (const sql of [
      'UPDATE audit.entry SET seq = 7',
      'DELETE FROM audit.entry',
      'TRUNCATE audit.entry',
      'DELETE FROM audit.entry_target',
    ]) {
      await expect(tables.query(sql)).rejects.toThrow('the audit log only grows');
      await expect(tables.query(`SET ROLE holdfast_audit; ${sql}`)).rejects.toThrow(/permission denied/);
      await tables.query('RESET ROLE');
    }
  });

  describe('a record of which the gateway does not know whether a handler wrote it', () => {
    it("gives way to the handler's, in either order", async () => {
      const [first, second] = [
        record({ action: 'offer.create', outcome: failure }),
        record({ action: 'offer.create', outcome: failure }),
      ];
      await guess(first);
      await publish(issuanceEvent({ audit: { ...first, outcome: success } }));
      await publish(issuanceEvent({ audit: { ...second, outcome: success } }));
      await eventually(async () => expect(await list()).toHaveLength(2));
      await guess(second);
      clock.advance(patience);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect((await list()).map((e) => e.outcome.result)).toEqual(['success', 'success']);
      expect(await tables.query('SELECT * FROM audit.provisional')).toEqual([]);
    });

    it('stands in the log when its time is up, once, though two replicas look', async () => {
      await start();
      const r = record({ outcome: failure });
      await guess(r);
      clock.advance(patience - 1);
      await new Promise((resolve) => setTimeout(resolve, 1200));
      expect(await list()).toEqual([]);
      clock.advance(1);
      await eventually(async () => expect(await list()).toHaveLength(1));
      expect(await tables.query('SELECT * FROM audit.provisional')).toEqual([]);
    });

    it("does not make the handler's get lost when that comes later still, however often", async () => {
      const r = record({ action: 'offer.create', outcome: failure });
      await guess(r);
      clock.advance(patience);
      await eventually(async () => expect(await list()).toHaveLength(1));
      const event = issuanceEvent({ audit: { ...r, outcome: success } });
      await publish(event);
      await publish(event);
      await eventually(async () => expect(await list()).toHaveLength(2));
      await append(record());
      const [, late, guessed] = await list();
      expect(late).toMatchObject({ outcome: success, request: r.request });
      expect(guessed).toMatchObject({ id: r.id, outcome: failure });
      expect(late!.id).not.toBe(r.id);
    });
  });

  describe('a customer', () => {
    const leaves = async () =>
      (await tables.query<{ leaf: Buffer }>('SELECT leaf FROM audit.entry ORDER BY seq')).map((r) => r.leaf.toString());

    it('is named by a pseudonym in what is stored and by the id in what is read', async () => {
      const who = customer();
      const offer = { type: 'offer', id: randomUUID(), dataSubject: who.id } as const;
      await append(record({ targets: [who, offer] }), record({ targets: [who] }), record({ targets: [customer()] }));
      expect((await leaves()).join()).not.toContain(who.id);
      expect((await leaves()).join()).not.toContain(offer.id);
      expect((await list({ target: who.id })).map((e) => e.seq)).toEqual([2, 1]);
      expect((await list({ target: offer.id })).map((e) => e.targets)).toEqual([
        [
          { type: 'customer', id: who.id },
          { type: 'offer', id: offer.id },
        ],
      ]);
    });

    it('once erased, is found by nobody; the bare pseudonym stays and every byte with it', async () => {
      const [who, other] = [customer(), customer()];
      await append(
        record({ targets: [who, { type: 'offer', id: 'offer-1', dataSubject: who.id }] }),
        record({ targets: [other] }),
      );
      const before = await leaves();
      await publish(
        issuanceEvent({
          type: 'subject.erasure_started',
          subject: who.id,
          audit: record({ action: 'subject.erase', targets: [who] }),
        }),
      );
      await eventually(async () => expect(await list()).toHaveLength(3));
      const [erase, , created] = await list();
      expect(erase!.action).toBe('subject.erase');
      expect(erase!.targets[0]!.id).toMatch(/^[\w-]{22}$/);
      expect(created!.targets[0]).toEqual(erase!.targets[0]);
      expect(await list({ target: who.id })).toEqual([]);
      expect(await list({ target: 'offer-1' })).toEqual([]);
      expect(await list({ target: other.id })).toHaveLength(1);
      expect((await leaves()).slice(0, 2)).toEqual(before);
      expect(JSON.stringify(await everything())).not.toContain(who.id);
    });

    it('stays unknown when something about the customer comes after the erasure, or with it', async () => {
      const who = customer();
      const late = { type: 'offer', id: randomUUID(), dataSubject: who.id } as const;
      const created = issuanceEvent({
        subject: who.id,
        audit: record({ action: 'offer.create', targets: [who, late] }),
      });
      await Promise.all([
        publish(
          issuanceEvent({
            type: 'subject.erasure_started',
            subject: who.id,
            audit: record({ action: 'subject.erase', targets: [who] }),
          }),
        ),
        publish(created),
      ]);
      await eventually(async () => expect(await list()).toHaveLength(2));
      await append(
        record({ action: 'subject.read', targets: [{ type: 'customer', id: who.id }] }),
        record({ targets: [{ ...late, dataSubject: who.id }] }),
      );
      await guess(record({ targets: [who] }));
      clock.advance(patience);
      await eventually(async () => expect(await list()).toHaveLength(5));
      expect(await list({ target: who.id })).toEqual([]);
      expect(await list({ target: late.id })).toEqual([]);
      expect(await tables.query('SELECT * FROM audit.pseudonym')).toEqual([]);
      expect(JSON.stringify(await everything())).not.toMatch(new RegExp(`${who.id}|${late.id}`));
    });

    const everything = async () => {
      const names = ['head', 'place', 'entry_target', 'pseudonym', 'person_key', 'provisional', 'erased'];
      return [
        await leaves(),
        await tables.query('SELECT org, seq, actor_id FROM audit.entry'),
        ...(await Promise.all(names.map((t) => tables.query(`SELECT * FROM audit.${t}`)))),
      ];
    };
  });
});

const success = { result: 'success', status: 201 } as const;
const failure = { result: 'failure', status: 503, code: 'unavailable' } as const;

function customer(id: string = randomUUID()) {
  return { type: 'customer', id, dataSubject: id } as const;
}

function record(given: Partial<AuditRecord> = {}): AuditRecord {
  const { auditId: id, actor, request } = testContext();
  return {
    id,
    occurredAt: new Date().toISOString(),
    action: 'subject.read',
    actor,
    targets: [],
    outcome: success,
    request,
    ...given,
  };
}

const event = () => ({
  id: randomUUID(),
  occurredAt: new Date().toISOString(),
  org: 'acme',
  version: 1,
  requestId: 'r',
  traceparent: '00-0-0-01',
});

function issuanceEvent(given: Partial<CustomerEvent>): CustomerEvent {
  return { ...event(), type: 'offer.created', subject: randomUUID(), ...given };
}

function directoryEvent(given: Partial<DirectoryEvent>): DirectoryEvent {
  return { ...event(), type: 'app.created', app: 'app-1', ...given };
}
