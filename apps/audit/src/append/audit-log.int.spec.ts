import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { appendRecords, getAuditEvent, listAuditEvents, type AuditRecord, type DomainEvent } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import type { RunningService } from '@holdfast/service';
import { eventually, FakeClock, testContext, type TestDatabase } from '@holdfast/testing';
import {
  auditDatabase,
  auditKeys,
  customerTarget,
  directoryEventOf,
  eventOf,
  nextRunOf,
  recordOf,
  startAudit,
  startAuditBus,
} from '../audit.fixture.js';
import { provisionalTtlMs } from '../quarantine/pending-records.js';

describe('the audit log', () => {
  let environment: Awaited<ReturnType<typeof startAuditBus>>;
  let tables: TestDatabase;
  let services: RunningService[];
  let bus: Bus;
  let issuance: NatsConnection;
  let directory: NatsConnection;
  const clock = new FakeClock();
  const keys = auditKeys();

  const start = async () => {
    const service = await startAudit(environment.nats, tables, keys, clock);
    services.push(service);
    return service;
  };
  const append = (...records: AuditRecord[]) =>
    bus.request(appendRecords, { records: records.map((r) => ({ org: 'acme', record: r })) }, testContext());
  const appendProvisional = (r: AuditRecord) =>
    bus.request(appendRecords, { records: [{ org: 'acme', record: r, provisional: true }] }, testContext());
  const list = async (filter = {}, org = 'acme') =>
    (await bus.request(listAuditEvents, { filter, limit: 200 }, testContext({ org }))).items;
  const publish = async (event: DomainEvent) => {
    const [connection, producer] = 'subject' in event ? [issuance, 'issuance'] : [directory, 'directory'];
    return jetstream(connection).publish(`evt.${producer}.${event.type}`, JSON.stringify(event));
  };

  beforeAll(async () => {
    environment = await startAuditBus();
    bus = environment.bus;
    [issuance, directory] = [await environment.connectAs('issuance'), await environment.connectAs('directory')];
  });
  afterAll(async () => {
    await Promise.all([issuance.close(), directory.close()]);
    await environment.stop();
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

  it('has each record once and no gap when twenty callers append at two replicas', async () => {
    await start();
    const writers = Array.from({ length: 20 }, async (_, writer) => {
      for (let i = 0; i < 25; i += 1) {
        const org = `org-${(writer + i) % 3}`;
        const records = [recordOf(), recordOf({ targets: [customerTarget(`${i}`)] })].map((r) => ({ org, record: r }));
        await bus.request(appendRecords, { records }, testContext());
        // A repeated message changes nothing.
        if (i % 5 === 0) await bus.request(appendRecords, { records }, testContext());
      }
    });
    await Promise.all(writers);
    const logs = await tables.query(
      `SELECT org, count(*)::int AS n, max(seq)::int AS last,
         (SELECT seq::int FROM audit.head h WHERE h.org = l.org) AS head FROM audit.leaf l GROUP BY org`,
    );
    expect(logs).toHaveLength(3);
    for (const log of logs) expect(log).toMatchObject({ last: log.n, head: log.n });
    expect(logs.reduce((sum, log) => sum + Number(log.n), 0)).toBe(1000);
    // One pseudonym for each customer and organization, however many batches created it concurrently.
    expect(await tables.query('SELECT count(*)::int AS n FROM audit.pseudonym_mapping')).toEqual([{ n: 75 }]);
  });

  it("keeps the order of each caller's sequential requests", async () => {
    const records = Array.from({ length: 30 }, () => recordOf());
    for (const r of records) await append(r);
    expect((await list()).map((e) => e.id)).toEqual(records.map((r) => r.id).reverse());
  });

  it('appends the records of events of both streams', async () => {
    const [a, b] = [recordOf({ action: 'offer.create' }), recordOf({ action: 'app.create' })];
    await publish(eventOf({ audit: a }));
    await publish(directoryEventOf({ audit: b }));
    await publish(directoryEventOf({ audit: b }));
    await eventually(async () =>
      expect((await list()).map((e) => e.action).sort()).toEqual(['app.create', 'offer.create']),
    );
  });

  it('returns an event by its id, to its own organization only', async () => {
    const r = recordOf({ targets: [customerTarget('c')], changes: { status: { from: 'offered', to: 'issued' } } });
    await append(r);
    const { dataSubject: _, ...target } = r.targets[0]!;
    await expect(bus.request(getAuditEvent, { id: r.id }, testContext())).resolves.toEqual({
      ...r,
      seq: 1,
      targets: [{ ...target, pseudonym: expect.any(String) }],
    });
    await expect(bus.request(getAuditEvent, { id: r.id }, testContext({ org: 'other' }))).rejects.toMatchObject({
      code: 'unknown_event',
    });
  });

  it('ends a page before it exceeds the size of a message, and continues on the next one', async () => {
    const uri = (n: number) => `https://shop.example/${n}/${'ü'.repeat(1000)}`;
    const changes = {
      redirectUris: {
        from: Array.from({ length: 40 }, (_, n) => uri(n)),
        to: Array.from({ length: 40 }, (_, n) => uri(n + 1)),
      },
    };
    // 80 strings of two thousand bytes each, in each of eight.
    for (let n = 0; n < 8; n += 1) await append(recordOf({ action: 'app.update', changes }));
    await append(recordOf());
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

  it('stores and finds ids that PostgreSQL rejects or that are too long, beside other records', async () => {
    const odd = ['a\0b', 'a\uFFFDb', 'a\uD800b', 'x'.repeat(5000), `${'x'.repeat(126)}\u{1F600}x`];
    await append(
      recordOf(),
      recordOf({ targets: odd.map((id) => ({ type: 'app', id })) }),
      recordOf({ targets: odd.map((id) => customerTarget(id)) }),
      recordOf(),
    );
    expect((await list()).map((e) => e.seq)).toEqual([4, 3, 2, 1]);
    expect((await list({ target: 'a\0b' })).map((e) => e.seq)).toEqual([3]);
    expect((await list({ target: 'a\0b' }))[0]!.targets[0]!.id).toBe('a\uFFFDb');
  });

  it('answers unavailable and writes nothing while the database is unavailable, and appends afterwards', async () => {
    await append(recordOf());
    await tables.refuseConnections(true);
    await expect(append(recordOf(), recordOf())).rejects.toMatchObject({ code: 'unavailable' });
    const missed = recordOf({ action: 'app.create' });
    const { seq } = await publish(directoryEventOf({ audit: missed }));
    const jsm = await jetstreamManager(directory, { checkAPI: false });
    await eventually(async () =>
      expect((await jsm.consumers.info('DIRECTORY', 'audit')).delivered.stream_seq).toBe(seq),
    );
    await tables.refuseConnections(false);
    await eventually(async () => expect((await list()).map((e) => e.seq)).toEqual([2, 1]));
    expect((await list())[0]!.id).toBe(missed.id);
  });

  it('rejects changes by the service and by the owner', async () => {
    await append(recordOf({ targets: [customerTarget('c')] }));
    for (const sql of [
      'UPDATE audit.entry SET seq = 7',
      'DELETE FROM audit.entry',
      'TRUNCATE audit.entry',
      'DELETE FROM audit.entry_target',
    ]) {
      await expect(tables.query(sql)).rejects.toThrow('the audit log is append-only');
      await expect(tables.query(`SET ROLE holdfast_audit; ${sql}`)).rejects.toThrow(/permission denied/);
      await tables.query('RESET ROLE');
    }
  });

  describe('a provisional record', () => {
    it("is replaced by the handler's record, in either order", async () => {
      const [first, second] = [
        recordOf({ action: 'offer.create', outcome: failure }),
        recordOf({ action: 'offer.create', outcome: failure }),
      ];
      await appendProvisional(first);
      await publish(eventOf({ audit: { ...first, outcome: success } }));
      await publish(eventOf({ audit: { ...second, outcome: success } }));
      await eventually(async () => expect(await list()).toHaveLength(2));
      await appendProvisional(second);
      clock.advance(provisionalTtlMs);
      await nextRunOf('pending_records');
      expect((await list()).map((e) => e.outcome.result)).toEqual(['success', 'success']);
      expect(await tables.query('SELECT * FROM audit.pending_record')).toEqual([]);
    });

    it('is appended when it has expired and not before, once at two replicas', async () => {
      const r = recordOf({ outcome: failure });
      await appendProvisional(r);
      clock.advance(provisionalTtlMs - 1);
      await nextRunOf('pending_records');
      expect(await list()).toEqual([]);
      await start();
      clock.advance(1);
      await eventually(async () => expect(await list()).toHaveLength(1));
      expect(await tables.query('SELECT * FROM audit.pending_record')).toEqual([]);
    });

    it("stays when it was appended; the handler's later record is appended too, once for all deliveries", async () => {
      const r = recordOf({ action: 'offer.create', outcome: failure });
      await appendProvisional(r);
      clock.advance(provisionalTtlMs);
      await eventually(async () => expect(await list()).toHaveLength(1));
      const event = eventOf({ audit: { ...r, outcome: success } });
      await publish(event);
      await publish(event);
      await eventually(async () => expect(await list()).toHaveLength(2));
      await append(recordOf());
      const [, late, provisional] = await list();
      expect(late).toMatchObject({ outcome: success, request: r.request });
      expect(provisional).toMatchObject({ id: r.id, outcome: failure });
      expect(late!.id).not.toBe(r.id);
    });
  });

  describe('a customer', () => {
    const leaves = async () =>
      (await tables.query<{ leaf: Buffer }>('SELECT leaf FROM audit.entry ORDER BY seq')).map((r) => r.leaf.toString());

    it('is stored by pseudonym and read by id', async () => {
      const who = customerTarget();
      const offer = { type: 'offer', id: randomUUID(), dataSubject: who.id } as const;
      await append(
        recordOf({ targets: [who, offer] }),
        recordOf({ targets: [who] }),
        recordOf({ targets: [customerTarget()] }),
      );
      expect((await leaves()).join()).not.toContain(who.id);
      expect((await leaves()).join()).not.toContain(offer.id);
      expect((await list({ target: who.id })).map((e) => e.seq)).toEqual([2, 1]);
      expect((await list({ target: offer.id })).map((e) => e.targets)).toEqual([
        [
          { type: 'customer', id: who.id, pseudonym: expect.any(String) },
          { type: 'offer', id: offer.id, pseudonym: expect.any(String) },
        ],
      ]);
    });

    it('is found by no filter after the erasure, and all leaves stay as they are', async () => {
      const [who, other] = [customerTarget(), customerTarget()];
      await append(
        recordOf({ targets: [who, { type: 'offer', id: 'offer-1', dataSubject: who.id }] }),
        recordOf({ targets: [other] }),
      );
      const before = await leaves();
      await publish(
        eventOf({
          type: 'subject.erasure_started',
          subject: who.id,
          audit: recordOf({ action: 'subject.erase', targets: [who] }),
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

    it('has no mapping from records that come with or after the erasure', async () => {
      const who = customerTarget();
      const late = { type: 'offer', id: randomUUID(), dataSubject: who.id } as const;
      const created = eventOf({
        subject: who.id,
        audit: recordOf({ action: 'offer.create', targets: [who, late] }),
      });
      await Promise.all([
        publish(
          eventOf({
            type: 'subject.erasure_started',
            subject: who.id,
            audit: recordOf({ action: 'subject.erase', targets: [who] }),
          }),
        ),
        publish(created),
      ]);
      await eventually(async () => expect(await list()).toHaveLength(2));
      await append(
        recordOf({ action: 'subject.read', targets: [{ type: 'customer', id: who.id }] }),
        recordOf({ targets: [{ ...late, dataSubject: who.id }] }),
      );
      await appendProvisional(recordOf({ targets: [who] }));
      clock.advance(provisionalTtlMs);
      await eventually(async () => expect(await list()).toHaveLength(5));
      expect(await list({ target: who.id })).toEqual([]);
      expect(await list({ target: late.id })).toEqual([]);
      expect(await tables.query('SELECT * FROM audit.pseudonym_mapping')).toEqual([]);
      expect(JSON.stringify(await everything())).not.toMatch(new RegExp(`${who.id}|${late.id}`));
    });

    it('of a person, active or only invited, is gone after user.erasure_started, late and repeated too', async () => {
      const [active, invited, colleague] = [personTarget(), personTarget(), personTarget()];
      const passkey = { type: 'passkey', id: randomUUID(), dataSubject: active.id } as const;
      const address = '198.51.100.77';
      const request = { ...testContext().request, address };
      const actorOf = ({ type, id }: typeof active) => ({ type, id });
      const byActive = recordOf({ action: 'user.sign_in', actor: actorOf(active), targets: [passkey], request });
      await publish(directoryEventOf({ type: 'user.invited', user: invited.id, audit: inviteOf(invited) }));
      await publish(directoryEventOf({ type: 'user.invited', user: active.id, audit: inviteOf(active) }));
      await append(byActive, recordOf({ action: 'user.read', actor: actorOf(colleague), targets: [active] }));
      await eventually(async () => expect(await list({ target: active.id })).toHaveLength(2));
      expect((await list({ actor: active.id })).map((e) => e.request.address)).toEqual([address]);
      const before = await leaves();

      for (const person of [active, invited]) {
        const erasure = directoryEventOf({
          type: 'user.erasure_started',
          user: person.id,
          audit: recordOf({ action: 'user.remove', actor: actorOf(colleague), targets: [person] }),
        });
        await publish(erasure);
        await publish(erasure);
        await publish(directoryEventOf({ type: 'user.removed', user: person.id, data: { user: person.id } }));
      }
      // Published before the erasure and delivered after it.
      await publish(directoryEventOf({ type: 'role.changed', user: active.id, audit: roleChangeOf(active) }));
      await eventually(async () => expect(await list()).toHaveLength(7));
      for (const { id } of [active, invited])
        expect([...(await list({ target: id })), ...(await list({ actor: id }))]).toEqual([]);
      expect(await list({ target: passkey.id })).toEqual([]);
      const removals = (await list()).filter(({ action }) => action === 'user.remove');
      expect(removals.map(({ actor, targets }) => [actor.id, targets])).toEqual(
        Array(2).fill([colleague.id, [{ type: 'person', id: expect.stringMatching(/^[\w-]{22}$/) }]]),
      );
      const signIn = (await list()).find(({ id }) => id === byActive.id)!;
      expect([signIn.actor.id, signIn.request.address]).toEqual([expect.stringMatching(/^[\w-]{22}$/), undefined]);
      expect((await leaves()).slice(0, before.length)).toEqual(before);
      expect(JSON.stringify(await everything())).not.toMatch(
        new RegExp(`${active.id}|${invited.id}|${passkey.id}|${address}`),
      );
    });

    const personTarget = () => {
      const id = randomUUID();
      return { type: 'person', id, dataSubject: id } as const;
    };
    const inviteOf = (person: ReturnType<typeof personTarget>) =>
      recordOf({ action: 'user.invite', actor: { type: 'operator', id: 'operator' }, targets: [person] });
    const roleChangeOf = (person: ReturnType<typeof personTarget>) =>
      recordOf({ action: 'role.change', actor: { type: 'operator', id: 'operator' }, targets: [person] });

    const everything = async () => {
      const names = [
        'head',
        'leaf',
        'entry_target',
        'pseudonym_mapping',
        'personal_data_key',
        'pending_record',
        'erased',
      ];
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
