import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate } from '@holdfast/data';
import { createTestDatabase, FakeClock, testContext, type TestDatabase } from '@holdfast/testing';
import { CompactRange, inclusionProof, leafHash, verifyInclusion } from '@holdfast/tlog';
import { monthOf } from '../append/log-head.js';
import { assertWhole, auditDatabase, auditKeys, openedBy, recordOf, replicaOf } from '../audit.fixture.js';
import { CreateLog1763700000000 } from '../migrations/1763700000000-create-log.js';
import { CountRefusals1763920000000 } from '../migrations/1763920000000-count-refusals.js';
import { migrations } from '../migrations/index.js';
import { Names } from '../privacy/pseudonym-mappings.js';
import { GetEventHandler } from '../query/get-event.handler.js';
import { ListEventsHandler } from '../query/list-events.handler.js';
import { hashReader } from '../transparency/tree.js';

describe('partitions of the log', () => {
  let tables: TestDatabase;
  let replica: Awaited<ReturnType<typeof replicaOf>>;
  const keys = auditKeys();
  const clock = new FakeClock();
  const monthsAgo = (months: number) => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15));
  };
  const append = (...actions: ('subject.read' | 'offer.create')[]) =>
    replica.log.append(
      actions.map((action) => ({ org: 'acme', record: recordOf({ action, occurredAt: clock.now().toISOString() }) })),
    );
  const list = async (filter = {}) => {
    const opened = openedBy(replica.database, keys);
    const handler = new ListEventsHandler(replica.database, new Names(replica.database), opened);
    return (
      await handler.handle(
        { input: { filter, limit: 200 }, context: testContext(), caller: 'gateway' } as never,
        undefined as never,
      )
    ).items;
  };
  const drop = (name: string, time: Date) =>
    tables.query(
      'SELECT org, entries::int AS entries, first::int AS first, last::int AS last, places FROM audit.drop_partitions($1, $2)',
      [name, monthOf(time)],
    );

  beforeEach(async () => {
    tables = await auditDatabase();
    replica = await replicaOf(tables, keys, clock);
  });
  afterEach(async () => {
    await replica.stop();
    await tables.drop();
  });

  it('are made when a month begins, and hold each class of retention apart', async () => {
    clock.set(monthsAgo(3));
    await append('subject.read', 'offer.create');
    clock.set(monthsAgo(2));
    await append('subject.read');
    // A clock that goes back puts nothing into a month that is over: reading goes from month to month.
    clock.set(monthsAgo(3));
    await append('subject.read');
    const found = await tables.query('SELECT seq::int AS seq, class, month FROM audit.entry ORDER BY seq');
    const [before, after] = [monthOf(monthsAgo(3)), monthOf(monthsAgo(2))];
    expect(found).toEqual([
      { seq: 1, class: 'reads', month: before },
      { seq: 2, class: 'changes', month: before },
      { seq: 3, class: 'reads', month: after },
      { seq: 4, class: 'reads', month: after },
    ]);
    expect((await list()).map((e) => e.seq)).toEqual([4, 3, 2, 1]);
    expect(await assertWhole(tables)).toBe(4);
  });

  it('once dropped, leave a log that goes on and still proves the rest', async () => {
    clock.set(monthsAgo(3));
    for (let i = 0; i < 100; i += 1) await append('subject.read', 'offer.create', 'subject.read');
    clock.set(monthsAgo(0));
    await append('subject.read');
    const [kept, gone] = await Promise.all(
      ['changes', 'reads'].map(
        async (name) =>
          (
            await tables.query<{ id: string; seq: number }>(
              'SELECT id, seq::int AS seq FROM audit.place WHERE class = $1 ORDER BY seq LIMIT 1',
              [name],
            )
          )[0]!,
      ),
    );
    const places = Buffer.concat(
      Array.from({ length: 300 }, (_, i) => i + 1)
        .filter((seq) => seq % 3 !== 2)
        .map((seq) => Buffer.from(seq.toString(16).padStart(16, '0'), 'hex')),
    );
    expect(await drop('reads', monthsAgo(3))).toEqual([
      { org: 'acme', entries: 200, first: 1, last: 300, places: createHash('sha256').update(places).digest() },
    ]);
    await append('subject.read');

    expect((await list({ action: 'subject.read' })).map((e) => e.seq)).toEqual([302, 301]);
    expect(await list({ action: 'offer.create' })).toHaveLength(100);
    const get = (id: string) =>
      new GetEventHandler(replica.database, openedBy(replica.database, keys)).handle(
        { input: { id }, context: testContext(), caller: 'gateway' } as never,
        undefined as never,
      );
    await expect(get(gone!.id)).rejects.toMatchObject({ error: { code: 'unknown_event' } });
    await expect(get(kept!.id)).resolves.toMatchObject({ seq: kept!.seq });

    const [head] = await tables.query<{ seq: number; range: Buffer }>('SELECT seq::int AS seq, range FROM audit.head');
    const [entry] = await tables.query<{ leaf: Buffer }>('SELECT leaf FROM audit.entry WHERE seq = $1', [kept!.seq]);
    const proof = await inclusionProof(kept!.seq - 1, 302, hashReader(replica.database, 'acme'));
    expect(
      verifyInclusion({
        index: kept!.seq - 1,
        size: 302,
        leafHash: leafHash(entry!.leaf),
        proof,
        root: CompactRange.from(302, head!.range).root(),
      }),
    ).toBe(true);
  });

  it('are dropped by the owner alone, and never those that still grow or account for others', async () => {
    clock.set(monthsAgo(3));
    await append('subject.read');
    await expect(drop('kept', monthsAgo(3))).rejects.toThrow(/never dropped/);
    await expect(drop('reads', monthsAgo(0))).rejects.toThrow(/still grows/);
    await expect(drop('reads', monthsAgo(200))).rejects.toThrow(/no such partition/);
    await expect(replica.database.rows({ name: '', text: "SELECT drop_partitions('reads', 1)" })).rejects.toThrow(
      /permission denied/,
    );
    const [{ partition }] = (await tables.query('SELECT tableoid::regclass::text AS partition FROM audit.entry')) as [
      { partition: string },
    ];
    for (const sql of [`DELETE FROM ${partition}`, `UPDATE ${partition} SET seq = 2`, `DROP TABLE ${partition}`]) {
      await expect(replica.database.rows({ name: '', text: sql })).rejects.toThrow(/permission denied|must be owner/);
    }
    await expect(tables.query(`DELETE FROM ${partition}`)).rejects.toThrow('the audit log only grows');
    expect(
      await tables.query('SELECT class, month FROM audit.partitions WHERE number = $1', [monthOf(monthsAgo(3))]),
    ).toHaveLength(3);
  });
});

describe('a log from before it could be proved', () => {
  it('is moved with all that stands in it, and goes on', async () => {
    const tables = await createTestDatabase('audit', (url) =>
      migrate('audit', url, [CreateLog1763700000000, CountRefusals1763920000000]),
    );
    for (const [org, count] of [
      ['acme', 600],
      ['other', 3],
    ] as const) {
      await tables.query('INSERT INTO audit.head (org, seq) VALUES ($1, $2)', [org, count]);
      await tables.query(
        `INSERT INTO audit.entry SELECT $1, seq, gen_random_uuid(), timestamptz '2026-01-01' + seq * interval '2 hours', (ARRAY['subject.read', 'offer.create'])[1 + seq % 2], 'app-1', 'success', false,
           convert_to(json_build_object('id', seq, 'actor', json_build_object('type', 'app', 'id', 'app-1'), 'targets', json_build_array(json_build_object('type', 'customer', 'id', repeat('p', 22))), 'request', json_build_object())::text, 'UTF8')
         FROM generate_series(1, $2::int) AS seq`,
        [org, count],
      );
      await tables.query(
        "INSERT INTO audit.entry_target SELECT org, repeat('p', 22), seq FROM audit.entry WHERE org = $1",
        [org],
      );
      await tables.query("INSERT INTO audit.pseudonym VALUES ($1, 'customer-1', 'customer-1', repeat('p', 22))", [org]);
    }
    const before = await tables.query('SELECT org, seq, leaf FROM audit.entry ORDER BY org, seq');
    await migrate('audit', tables.ownerUrl, migrations);
    expect(await tables.query('SELECT org, seq, leaf FROM audit.entry ORDER BY org, seq')).toEqual(before);
    expect(await assertWhole(tables)).toBe(603);

    const keys = auditKeys();
    const replica = await replicaOf(tables, keys);
    await replica.log.append([
      {
        org: 'acme',
        record: recordOf({
          id: randomUUID(),
          targets: [{ type: 'customer', id: 'customer-1', dataSubject: 'customer-1' }],
        }),
      },
    ]);
    const handler = new ListEventsHandler(
      replica.database,
      new Names(replica.database),
      openedBy(replica.database, keys),
    );
    const list = async (filter: object) =>
      (
        await handler.handle(
          { input: { filter, limit: 200 }, context: testContext(), caller: 'gateway' } as never,
          undefined as never,
        )
      ).items;
    const found = await list({ target: 'customer-1', from: '2026-02-19T00:00:00Z' });
    expect(found.map((e) => e.seq)).toEqual([601, 600, 599, 598, 597, 596, 595, 594, 593, 592, 591, 590, 589, 588]);
    expect(found.every((e) => e.targets[0]!.id === 'customer-1')).toBe(true);
    expect(await list({ to: '2026-01-01T05:00:00Z' })).toHaveLength(2);
    expect(await assertWhole(tables)).toBe(604);
    await replica.stop();
    await tables.drop();
  });
});
