import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { register } from 'prom-client';
import { AuditWriter } from '@holdfast/audit-client';
import {
  appendRecords,
  countDeniedRequests,
  listAuditEvents,
  type AuditRecord,
  type CustomerEvent,
} from '@holdfast/contracts';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger, newId } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  eventually,
  FakeClock,
  startTestBus,
  testContext,
  traces,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { AuditModule } from '../app.module.js';
import { assertWhole, auditConfig, auditDatabase, auditKeys, recordOf, replicaOf } from '../audit.fixture.js';
import { patience } from './pending-records.js';
import { retryMs } from './retry.js';

const quiet = createLogger('test', 'fatal');

describe('one bad row takes nothing from the others', () => {
  let nats: TestBus;
  let tables: TestDatabase;
  let service: RunningService;
  let bus: Bus;
  let issuance: NatsConnection;
  const clock = new FakeClock();
  const keys = auditKeys();
  const connectAs = (user: 'gateway' | 'issuance' | 'deploy') =>
    connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);
  const start = async (given = keys) => {
    const config = auditConfig(nats, tables, given);
    service = await startService({
      service: 'audit',
      config,
      module: AuditModule,
      clock,
      logger: quiet,
      database: { url: config.DATABASE_URL, pool: 4 },
    });
  };
  const append = (org: string, ...records: AuditRecord[]) =>
    bus.request(appendRecords, { records: records.map((record) => ({ org, record })) }, testContext());
  const guess = (org: string, record: AuditRecord) =>
    bus.request(appendRecords, { records: [{ org, record, provisional: true }] }, testContext());
  const list = async (org: string) =>
    (await bus.request(listAuditEvents, { filter: {}, limit: 200 }, testContext({ org }))).items.reverse();
  const ids = async (org: string) => (await list(org)).map((e) => e.id);
  const publish = (event: CustomerEvent) =>
    jetstream(issuance).publish(`evt.issuance.${event.type}`, JSON.stringify(event));
  const waiting = () =>
    tables.query<{ id: string; parked: boolean; record: string }>(
      'SELECT id, parked, record FROM audit.provisional ORDER BY due_at, id',
    );
  /** When they are tried next, in minutes; a quarter at most is taken off. */
  const retries = (table = 'provisional', columns = '') => {
    const what = columns === '' ? '' : `${columns}, `;
    return tables.query(
      `SELECT DISTINCT ${what}ceil((extract(epoch FROM due_at - $1) / 60)::float8)::int AS in, attempts FROM audit.${table} ORDER BY ${what}1`,
      [clock.now()],
    );
  };
  const damage = (by: number) => tables.query(`UPDATE audit.head SET seq = seq - ${by} WHERE org = 'acme'`);

  beforeAll(async () => {
    nats = await startTestBus();
    const deploy = await connectAs('deploy');
    await declareStreams(deploy);
    await deploy.close();
    issuance = await connectAs('issuance');
    bus = new Bus(await connectAs('gateway'));
  });
  afterAll(async () => {
    await Promise.all([issuance.close(), bus.connection.close()]);
    await nats.stop();
  });
  beforeEach(async () => {
    tables = await auditDatabase();
    await start();
    await append('globex', recordOf());
  });
  afterEach(async () => {
    await service.stop();
    await tables.drop();
  });

  /**
   * Four entries less three have a tree of as many hashes, which is found out by a place that is taken; five have not.
   */
  describe.each([4, 5])('a head that was set back from %s', (size) => {
    beforeEach(async () => {
      await append('acme', ...Array.from({ length: size }, () => recordOf()));
      await damage(3);
    });

    it('refuses the calls of its organization, and no other call that came with them', async () => {
      const writer = new AuditWriter(bus);
      const records = Array.from({ length: 60 }, (_, i) => ({
        org: i % 6 === 0 ? 'acme' : `other-${i % 4}`,
        record: recordOf(),
      }));
      const results = await Promise.allSettled(records.map(({ org, record }) => writer.append(org, record)));
      expect(results.map((r) => r.status)).toEqual(
        records.map(({ org }) => (org === 'acme' ? 'rejected' : 'fulfilled')),
      );
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'unavailable' });
      for (const other of [0, 1, 2, 3].map((n) => `other-${n}`))
        expect((await ids(other)).toSorted()).toEqual(
          records
            .filter(({ org }) => org === other)
            .map(({ record }) => record.id)
            .toSorted(),
        );
      await damage(-3);
      expect(await assertWhole(tables)).toBe(1 + size + 50);
    });

    it('keeps the record of a change that is made already, and so holds up no outbox of whoever made it', async () => {
      const writer = new AuditWriter(bus);
      const [made, read] = [recordOf({ action: 'key.rotate' }), recordOf()];
      const results = await Promise.allSettled([
        writer.append('acme', read),
        writer.append('acme', made, { committed: true }),
      ]);
      expect(results.map((r) => r.status)).toEqual(['rejected', 'fulfilled']);
      expect(await waiting()).toMatchObject([{ id: made.id, parked: true }]);
      await damage(-3);
      clock.advance(retryMs.first);
      await eventually(async () => expect((await ids('acme')).slice(size)).toEqual([made.id]));
    });

    it('parks what came with changes, erases at once, confirms, and gives all their places in their order once it is mended', async () => {
      const who = randomUUID();
      await damage(-3);
      await append(
        'acme',
        recordOf({
          action: 'customer.sign_in',
          actor: { type: 'customer', id: who },
          request: { ...testContext().request, address: '198.51.100.23' },
        }),
      );
      expect(
        await tables.query('SELECT data_subject FROM audit.pseudonym UNION SELECT data_subject FROM audit.person_key'),
      ).toEqual([{ data_subject: who }]);
      await damage(3);

      const changes = Array.from({ length: 3 }, () => recordOf({ id: newId(), action: 'offer.create' }));
      const others = Array.from({ length: 3 }, () => recordOf({ action: 'offer.create' }));
      for (const [i, audit] of changes.entries()) {
        await publish(event({ audit }));
        await publish(event({ org: 'globex', audit: others[i]! }));
      }
      // Twice: the same event again is the same record.
      await publish(event({ audit: changes[0]! }));
      const erase = recordOf({
        id: newId(),
        action: 'subject.erase',
        targets: [{ type: 'customer', id: who, dataSubject: who }],
      });
      const { seq: last } = await publish(event({ type: 'subject.erasure_started', subject: who, audit: erase }));

      const jsm = await jetstreamManager(issuance, { checkAPI: false });
      await eventually(async () =>
        expect((await jsm.consumers.info('ISSUANCE', 'audit')).ack_floor.stream_seq).toBe(last),
      );
      expect((await ids('globex')).slice(1)).toEqual(others.map((r) => r.id));
      expect((await waiting()).map((w) => w.id).toSorted()).toEqual([...changes, erase].map((r) => r.id).toSorted());
      expect(
        await tables.query('SELECT data_subject FROM audit.pseudonym UNION SELECT data_subject FROM audit.person_key'),
      ).toEqual([]);
      expect(traces(JSON.stringify(await waiting()), [who])).toEqual([]);

      // A later one, parked a while after, is tried with those before it.
      clock.advance(5000);
      const later = recordOf({ id: newId(), action: 'offer.create' });
      await publish(event({ audit: later }));
      await eventually(async () => expect(await waiting()).toHaveLength(5));
      clock.advance(retryMs.first - 5000);
      await eventually(async () =>
        expect(await tables.query('SELECT DISTINCT attempts FROM audit.provisional')).toEqual([{ attempts: 1 }]),
      );
      expect(await retries()).toEqual([{ in: 1, attempts: 1 }]);
      await eventually(async () =>
        expect(await register.getSingleMetricAsString('holdfast_audit_records_parked')).toMatch(/_parked 5$/),
      );

      await tables.query(await mending());
      await eventually(async () => expect(await waiting()).toEqual([]), 10_000);
      expect((await ids('acme')).slice(size + 1)).toEqual([...changes, erase, later].map((r) => r.id));
      expect(JSON.stringify(await list('acme'))).not.toContain(who);
      expect(await assertWhole(tables)).toBe(4 + size + 1 + 5);
    });
  });

  it('tries what is parked less and less often, never further apart than the bound, and all of a log together', async () => {
    await append('acme', ...Array.from({ length: 5 }, () => recordOf()));
    await damage(3);
    for (const audit of [recordOf(), recordOf()]) await publish(event({ audit }));
    await eventually(async () => expect(await waiting()).toHaveLength(2));
    const minutes: number[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      clock.advance(retryMs.most);
      await eventually(async () =>
        expect(await tables.query('SELECT DISTINCT attempts FROM audit.provisional')).toEqual([{ attempts: attempt }]),
      );
      const [delay, ...others] = await retries();
      expect(others).toEqual([]);
      minutes.push(delay!.in as number);
    }
    // Less a quarter at most: of 8 minutes 6 to 8, of 15 minutes 11.25 to 15.
    for (const [i, most] of [1, 2, 4, 8, 15, 15].entries())
      expect(minutes[i]).toBeGreaterThanOrEqual(Math.ceil(most * 0.75));
    for (const [i, most] of [1, 2, 4, 8, 15, 15].entries()) expect(minutes[i]).toBeLessThanOrEqual(most);
    // A new record does not begin the tries of its log anew.
    const [before] = await tables.query<{ due_at: Date }>('SELECT DISTINCT due_at FROM audit.provisional');
    await publish(event({ audit: recordOf() }));
    await eventually(async () => expect(await waiting()).toHaveLength(3));
    expect(await tables.query('SELECT DISTINCT due_at FROM audit.provisional')).toEqual([before]);
  });

  it("the handler's record, parked, takes the place of the gateway's guess, and is not lost should that be placed at the same moment", async () => {
    const replica = await replicaOf(tables, keys, clock);
    await append('acme', ...Array.from({ length: 5 }, () => recordOf()));
    const both = [recordOf({ id: newId() }), recordOf({ id: newId() })] as const;
    for (const record of both) await guess('acme', { ...record, outcome: { result: 'failure' } });
    await damage(3);
    for (const audit of both) await publish(event({ audit }));
    await eventually(async () => expect((await waiting()).map((w) => w.parked)).toEqual([true, true]));
    await damage(-3);
    // A replica that has read the guess before.
    await replica.log.append([
      { org: 'acme', record: { ...both[0], outcome: { result: 'failure' } }, provisional: true },
    ]);
    await replica.stop();
    clock.advance(retryMs.first);
    await eventually(async () => expect(await waiting()).toEqual([]));
    expect((await list('acme')).slice(5).map((e) => e.outcome.result)).toEqual(['failure', 'success', 'success']);
    expect(await ids('acme')).toContain(both[1].id);
  });

  it('a record that cannot be opened holds up neither the others that wait nor the counts of refusals, and is tried again', async () => {
    const [closed, open] = [recordOf(), recordOf()];
    await guess('globex', closed);
    await service.stop();
    const sealed = (await waiting())[0]!.record;
    await start(auditKeys());
    await guess('globex', open);
    const refused = recordOf({
      occurredAt: clock.now().toISOString(),
      action: 'request.denied',
      actor: { type: 'anonymous', id: 'anonymous' },
      outcome: { result: 'denied', status: 401, count: 2 },
    });
    await bus.request(
      countDeniedRequests,
      { source: randomUUID(), refusals: [{ org: 'globex', record: refused }] },
      testContext(),
    );
    clock.advance(Math.max(patience, 65_000));
    await eventually(async () =>
      expect((await ids('globex')).slice(1).toSorted()).toEqual([open.id, refused.id].toSorted()),
    );
    await eventually(async () => expect(await waiting()).toEqual([{ id: closed.id, parked: true, record: sealed }]));
    await service.stop();
    await start();
    clock.advance(retryMs.first);
    await eventually(async () => expect((await ids('globex')).at(-1)).toBe(closed.id));
    expect(await waiting()).toEqual([]);
  });

  it('a count of refusals that a damaged log refuses, or that is no record any more, does not keep the others from their places', async () => {
    await append('acme', ...Array.from({ length: 5 }, () => recordOf()));
    await damage(3);
    const refusals = ['acme', 'globex', 'globex', 'globex'].map((org) => ({
      org,
      record: recordOf({
        occurredAt: clock.now().toISOString(),
        action: 'request.denied',
        outcome: { result: 'denied', status: 401, count: 1 },
      }),
    }));
    await bus.request(countDeniedRequests, { source: randomUUID(), refusals }, testContext());
    const [refused, , changed, emptied] = refusals.map(({ record }) => record.id);
    await tables.query(
      "UPDATE audit.refusal SET record = CASE id WHEN $1 THEN 'nonsense' ELSE '{}' END WHERE id = ANY ($2)",
      [changed, [changed, emptied]],
    );
    clock.advance(65_000);
    const putOff = [refused, changed, emptied].toSorted().map((id) => ({ id, in: 1, attempts: 1 }));
    await eventually(async () => expect(await retries('refusal', 'id')).toEqual(putOff));
    expect((await ids('globex')).at(-1)).toBe(refusals[1]!.record.id);
    await damage(-3);
    clock.advance(retryMs.first);
    await eventually(async () => expect((await ids('acme')).at(-1)).toBe(refusals[0]!.record.id));
  });
});

/** What the runbook tells the operator to run. */
async function mending(): Promise<string> {
  const runbook = await readFile(new URL('../../../../docs/runbook.md', import.meta.url), 'utf8');
  return /```sql\n(DO \$\$[\s\S]*?log text := 'acme'[\s\S]*?END \$\$;)/.exec(runbook)![1]!;
}

const event = (given: Partial<CustomerEvent>): CustomerEvent => ({
  id: randomUUID(),
  occurredAt: new Date().toISOString(),
  org: 'acme',
  version: 1,
  requestId: 'r',
  traceparent: '00-0-0-01',
  type: 'offer.created',
  subject: randomUUID(),
  ...given,
});
