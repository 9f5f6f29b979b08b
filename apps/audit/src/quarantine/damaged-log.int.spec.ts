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
import type { Bus } from '@holdfast/messaging';
import { newId } from '@holdfast/platform';
import type { RunningService } from '@holdfast/service';
import { eventually, FakeClock, testContext, traces, type TestDatabase } from '@holdfast/testing';
import {
  assertWhole,
  auditDatabase,
  auditKeys,
  eventOf,
  recordOf,
  replicaOf,
  startAudit,
  startAuditBus,
} from '../audit.fixture.js';
import { provisionalTtlMs } from './pending-records.js';
import { retryDelayMs } from './retry.js';

describe('a damaged log or row', () => {
  let environment: Awaited<ReturnType<typeof startAuditBus>>;
  let tables: TestDatabase;
  let service: RunningService;
  let bus: Bus;
  let issuance: NatsConnection;
  const clock = new FakeClock();
  const keys = auditKeys();
  const start = async (given = keys) => {
    service = await startAudit(environment.nats, tables, given, clock);
  };
  const append = (org: string, ...records: AuditRecord[]) =>
    bus.request(appendRecords, { records: records.map((record) => ({ org, record })) }, testContext());
  const appendProvisional = (org: string, record: AuditRecord) =>
    bus.request(appendRecords, { records: [{ org, record, provisional: true }] }, testContext());
  const list = async (org: string) =>
    (await bus.request(listAuditEvents, { filter: {}, limit: 200 }, testContext({ org }))).items.reverse();
  const ids = async (org: string) => (await list(org)).map((e) => e.id);
  const publish = (event: CustomerEvent) =>
    jetstream(issuance).publish(`evt.issuance.${event.type}`, JSON.stringify(event));
  const pending = () =>
    tables.query<{ id: string; quarantined: boolean; record: string }>(
      'SELECT id, quarantined, record FROM audit.pending_record ORDER BY due_at, id',
    );
  /** Minutes until the next attempt, from which the jitter takes a quarter at most. */
  const retries = (table = 'pending_record', columns = '') => {
    const what = columns === '' ? '' : `${columns}, `;
    return tables.query(
      `SELECT DISTINCT ${what}ceil((extract(epoch FROM due_at - $1) / 60)::float8)::int AS in, attempts
         FROM audit.${table} ORDER BY ${what}1`,
      [clock.now()],
    );
  };
  /** The writer has a timeout of its own, which suits a machine that does nothing else. */
  const waiting = { timeoutMs: 10 * appendRecords.timeoutMs };
  const damage = (by: number) => tables.query(`UPDATE audit.head SET seq = seq - ${by} WHERE org = 'acme'`);

  beforeAll(async () => {
    environment = await startAuditBus();
    bus = environment.bus;
    issuance = await environment.connectAs('issuance');
  });
  afterAll(async () => {
    await issuance.close();
    await environment.stop();
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
   * The heads of sizes 4 and 1 have one hash each, so the damage is detected by a seq that is in use. Those of 5 and 2
   * have two and one, so the head does not match its tree.
   */
  describe.each([4, 5])('a head that was set back by 3 from %s', (size) => {
    beforeEach(async () => {
      await append('acme', ...Array.from({ length: size }, () => recordOf()));
      await damage(3);
    });

    it('rejects records of its organization only, when records of others come with them', async () => {
      const writer = new AuditWriter(bus);
      const records = Array.from({ length: 60 }, (_, i) => ({
        org: i % 6 === 0 ? 'acme' : `other-${i % 4}`,
        record: recordOf(),
      }));
      const results = await Promise.allSettled(records.map(({ org, record }) => writer.append(org, record, waiting)));
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

    it('quarantines the record of a committed change, and appends it after the repair', async () => {
      const writer = new AuditWriter(bus);
      const [made, read] = [recordOf({ action: 'key.rotate' }), recordOf()];
      const results = await Promise.allSettled([
        writer.append('acme', read, waiting),
        writer.append('acme', made, { committed: true, ...waiting }),
      ]);
      expect(results.map((r) => r.status)).toEqual(['rejected', 'fulfilled']);
      expect(await pending()).toMatchObject([{ id: made.id, quarantined: true }]);
      await damage(-3);
      clock.advance(retryDelayMs.first);
      await eventually(async () => expect((await ids('acme')).slice(size)).toEqual([made.id]));
    });

    it('quarantines records, executes erasures, acknowledges events, and appends in order after repair', async () => {
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
        await tables.query(
          'SELECT data_subject FROM audit.pseudonym_mapping UNION SELECT data_subject FROM audit.personal_data_key',
        ),
      ).toEqual([{ data_subject: who }]);
      await damage(3);

      const changes = Array.from({ length: 3 }, () => recordOf({ id: newId(), action: 'offer.create' }));
      const others = Array.from({ length: 3 }, () => recordOf({ action: 'offer.create' }));
      for (const [i, audit] of changes.entries()) {
        await publish(eventOf({ audit }));
        await publish(eventOf({ org: 'globex', audit: others[i]! }));
      }
      // The same event twice is one record.
      await publish(eventOf({ audit: changes[0]! }));
      const erase = recordOf({
        id: newId(),
        action: 'subject.erase',
        targets: [{ type: 'customer', id: who, dataSubject: who }],
      });
      const { seq: last } = await publish(eventOf({ type: 'subject.erasure_started', subject: who, audit: erase }));

      const jsm = await jetstreamManager(issuance, { checkAPI: false });
      await eventually(async () =>
        expect((await jsm.consumers.info('ISSUANCE', 'audit')).ack_floor.stream_seq).toBe(last),
      );
      expect((await ids('globex')).slice(1)).toEqual(others.map((r) => r.id));
      expect((await pending()).map((w) => w.id).toSorted()).toEqual([...changes, erase].map((r) => r.id).toSorted());
      expect(
        await tables.query(
          'SELECT data_subject FROM audit.pseudonym_mapping UNION SELECT data_subject FROM audit.personal_data_key',
        ),
      ).toEqual([]);
      expect(traces(JSON.stringify(await pending()), [who])).toEqual([]);

      // A later one is retried together with those before it.
      clock.advance(5000);
      const later = recordOf({ id: newId(), action: 'offer.create' });
      await publish(eventOf({ audit: later }));
      await eventually(async () => expect(await pending()).toHaveLength(5));
      clock.advance(retryDelayMs.first - 5000);
      await eventually(async () =>
        expect(await tables.query('SELECT DISTINCT attempts FROM audit.pending_record')).toEqual([{ attempts: 1 }]),
      );
      expect(await retries()).toEqual([{ in: 1, attempts: 1 }]);
      await eventually(async () =>
        expect(await register.getSingleMetricAsString('holdfast_audit_records_quarantined')).toMatch(/_quarantined 5$/),
      );

      await tables.query(await repairStatement());
      await eventually(async () => expect(await pending()).toEqual([]));
      expect((await ids('acme')).slice(size + 1)).toEqual([...changes, erase, later].map((r) => r.id));
      expect(JSON.stringify(await list('acme'))).not.toContain(who);
      expect(await assertWhole(tables)).toBe(4 + size + 1 + 5);
    });
  });

  it('retries quarantined records with growing delays up to the maximum, all records of a log together', async () => {
    await append('acme', ...Array.from({ length: 5 }, () => recordOf()));
    await damage(3);
    for (const audit of [recordOf(), recordOf()]) await publish(eventOf({ audit }));
    await eventually(async () => expect(await pending()).toHaveLength(2));
    const minutes: number[] = [];
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      clock.advance(retryDelayMs.max);
      await eventually(async () =>
        expect(await tables.query('SELECT DISTINCT attempts FROM audit.pending_record')).toEqual([
          { attempts: attempt },
        ]),
      );
      const [delay, ...others] = await retries();
      expect(others).toEqual([]);
      minutes.push(delay!.in as number);
    }
    // Less a quarter at most: of 8 minutes 6 to 8, of 15 minutes 11.25 to 15.
    for (const [i, most] of [1, 2, 4, 8, 15, 15].entries())
      expect(minutes[i]).toBeGreaterThanOrEqual(Math.ceil(most * 0.75));
    for (const [i, most] of [1, 2, 4, 8, 15, 15].entries()) expect(minutes[i]).toBeLessThanOrEqual(most);
    // A new record does not restart the retries of its log.
    const [before] = await tables.query<{ due_at: Date }>('SELECT DISTINCT due_at FROM audit.pending_record');
    await publish(eventOf({ audit: recordOf() }));
    await eventually(async () => expect(await pending()).toHaveLength(3));
    expect(await tables.query('SELECT DISTINCT due_at FROM audit.pending_record')).toEqual([before]);
  });

  it("a quarantined handler's record replaces the provisional one, and is appended even beside it", async () => {
    const replica = await replicaOf(tables, keys, clock);
    await append('acme', ...Array.from({ length: 5 }, () => recordOf()));
    const both = [recordOf({ id: newId() }), recordOf({ id: newId() })] as const;
    for (const record of both) await appendProvisional('acme', { ...record, outcome: { result: 'failure' } });
    await damage(3);
    for (const audit of both) await publish(eventOf({ audit }));
    await eventually(async () => expect((await pending()).map((w) => w.quarantined)).toEqual([true, true]));
    await damage(-3);
    // Another replica that has loaded the provisional record before.
    await replica.log.append([
      { org: 'acme', record: { ...both[0], outcome: { result: 'failure' } }, provisional: true },
    ]);
    await replica.stop();
    clock.advance(retryDelayMs.first);
    await eventually(async () => expect(await pending()).toEqual([]));
    expect((await list('acme')).slice(5).map((e) => e.outcome.result)).toEqual(['failure', 'success', 'success']);
    expect(await ids('acme')).toContain(both[1].id);
  });

  it('a record that cannot be decrypted blocks neither pending records nor counts, and is retried', async () => {
    const [undecryptable, decryptable] = [recordOf(), recordOf()];
    await appendProvisional('globex', undecryptable);
    await service.stop();
    const sealed = (await pending())[0]!.record;
    await start(auditKeys());
    await appendProvisional('globex', decryptable);
    const counted = recordOf({
      occurredAt: clock.now().toISOString(),
      action: 'request.denied',
      actor: { type: 'anonymous', id: 'anonymous' },
      outcome: { result: 'denied', status: 401, count: 2 },
    });
    await bus.request(
      countDeniedRequests,
      { source: randomUUID(), deniedRequests: [{ org: 'globex', record: counted }] },
      testContext(),
    );
    clock.advance(Math.max(provisionalTtlMs, 65_000));
    await eventually(async () =>
      expect((await ids('globex')).slice(1).toSorted()).toEqual([decryptable.id, counted.id].toSorted()),
    );
    await eventually(async () =>
      expect(await pending()).toEqual([{ id: undecryptable.id, quarantined: true, record: sealed }]),
    );
    await service.stop();
    await start();
    clock.advance(retryDelayMs.first);
    await eventually(async () => expect((await ids('globex')).at(-1)).toBe(undecryptable.id));
    await eventually(async () => expect(await pending()).toEqual([]));
  });

  it('a count that the log rejects or that is not a valid record does not block other counts', async () => {
    await append('acme', ...Array.from({ length: 5 }, () => recordOf()));
    await damage(3);
    const deniedRequests = ['acme', 'globex', 'globex', 'globex'].map((org) => ({
      org,
      record: recordOf({
        occurredAt: clock.now().toISOString(),
        action: 'request.denied',
        outcome: { result: 'denied', status: 401, count: 1 },
      }),
    }));
    await bus.request(countDeniedRequests, { source: randomUUID(), deniedRequests }, testContext());
    const [rejected, , changed, emptied] = deniedRequests.map(({ record }) => record.id);
    await tables.query(
      `UPDATE audit.denied_request_count SET record = CASE id WHEN $1 THEN 'nonsense' ELSE '{}' END
        WHERE id = ANY ($2)`,
      [changed, [changed, emptied]],
    );
    clock.advance(65_000);
    const postponed = [rejected, changed, emptied].toSorted().map((id) => ({ id, in: 1, attempts: 1 }));
    await eventually(async () => expect(await retries('denied_request_count', 'id')).toEqual(postponed));
    await eventually(async () => expect((await ids('globex')).at(-1)).toBe(deniedRequests[1]!.record.id));
    await damage(-3);
    clock.advance(retryDelayMs.first);
    await eventually(async () => expect((await ids('acme')).at(-1)).toBe(deniedRequests[0]!.record.id));
  });
});

/** The statement of the runbook that repairs a head. */
async function repairStatement(): Promise<string> {
  const runbook = await readFile(new URL('../../../../docs/runbook.md', import.meta.url), 'utf8');
  return /```sql\n(DO \$\$[\s\S]*?log text := 'acme'[\s\S]*?END \$\$;)/.exec(runbook)![1]!;
}
