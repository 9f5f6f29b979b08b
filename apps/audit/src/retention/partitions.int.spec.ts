import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ReadDatabase } from '@holdfast/data';
import { FakeClock, type TestDatabase } from '@holdfast/testing';
import { CompactRange, inclusionProof, leafHash, verifyInclusion } from '@holdfast/tlog';
import { RollUps } from '../analytics/roll-ups.js';
import { assertWhole, auditDatabase, auditKeys, decryptionBy, invoke, recordOf, replicaOf } from '../audit.fixture.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { GetEventHandler } from '../query/get-event.handler.js';
import { ListEventsHandler } from '../query/list-events.handler.js';
import { TreeReader } from '../transparency/tree.js';
import { monthOf } from './months.js';

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
    const decryption = decryptionBy(replica.database, keys);
    const reads = new ReadDatabase(replica.database);
    const handler = new ListEventsHandler(reads, new PseudonymMappings(reads), decryption);
    return (await invoke(handler, { filter, limit: 200 })).items;
  };
  const drop = (name: string, time: Date) =>
    tables.query(
      `SELECT org, entries::int AS entries, first::int AS first, last::int AS last, leaves
         FROM audit.drop_partitions($1, $2)`,
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

  it('are created when a month begins, one per retention class', async () => {
    clock.set(monthsAgo(3));
    await append('subject.read', 'offer.create');
    clock.set(monthsAgo(2));
    await append('subject.read');
    // A clock that goes back appends nothing to an earlier month, since lists read month by month.
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

  it('are created for an entry that was delayed across the end of a month, where a verifier expects it', async () => {
    const [before, now] = [monthsAgo(3), monthsAgo(2)];
    clock.set(before);
    await append('subject.read');
    // Another log is first in the new month, in which this one has no entry yet.
    clock.set(now);
    await replica.log.append([{ org: 'globex', record: recordOf({ occurredAt: now.toISOString() }) }]);
    const delayed = (occurredAt: Date) =>
      replica.log.append([{ org: 'acme', record: recordOf({ occurredAt: occurredAt.toISOString() }) }]);
    await delayed(new Date(before.getTime() + 60_000));
    await delayed(now);
    await delayed(new Date(before.getTime() + 120_000));
    const fresh = new Date('2019-05-07T08:00:00.000Z');
    await replica.log.append([{ org: 'initech', record: recordOf({ occurredAt: fresh.toISOString() }) }]);
    const found = await tables.query('SELECT org, seq::int AS seq, month FROM audit.entry ORDER BY org, seq');
    const acme = [before, before, now, now].map((time, i) => ({ org: 'acme', seq: i + 1, month: monthOf(time) }));
    expect(found).toEqual([
      ...acme,
      { org: 'globex', seq: 1, month: monthOf(now) },
      { org: 'initech', seq: 1, month: monthOf(fresh) },
    ]);
    expect(await assertWhole(tables)).toBe(6);
  });

  it('can be dropped once they are counted: the log grows on and still proves all other entries', async () => {
    clock.set(monthsAgo(3));
    for (let i = 0; i < 100; i += 1) await append('subject.read', 'offer.create', 'subject.read');
    clock.set(monthsAgo(0));
    await append('subject.read');
    const [kept, dropped] = await Promise.all(
      ['changes', 'reads'].map(
        async (name) =>
          (
            await tables.query<{ id: string; seq: number }>(
              'SELECT id, seq::int AS seq FROM audit.leaf WHERE class = $1 ORDER BY seq LIMIT 1',
              [name],
            )
          )[0]!,
      ),
    );
    const leaves = Buffer.concat(
      Array.from({ length: 300 }, (_, i) => i + 1)
        .filter((seq) => seq % 3 !== 2)
        .map((seq) => Buffer.from(seq.toString(16).padStart(16, '0'), 'hex')),
    );
    await expect(drop('reads', monthsAgo(3))).rejects.toThrow('analytics have not counted the entries of acme yet');
    await new RollUps(replica.database).countNext('acme');
    expect(await drop('reads', monthsAgo(3))).toEqual([
      { org: 'acme', entries: 200, first: 1, last: 300, leaves: createHash('sha256').update(leaves).digest() },
    ]);
    await append('subject.read');

    expect((await list({ action: 'subject.read' })).map((e) => e.seq)).toEqual([302, 301]);
    expect(await list({ action: 'offer.create' })).toHaveLength(100);
    const get = (id: string) =>
      invoke(new GetEventHandler(new ReadDatabase(replica.database), decryptionBy(replica.database, keys)), { id });
    await expect(get(dropped!.id)).rejects.toMatchObject({ error: { code: 'unknown_event' } });
    await expect(get(kept!.id)).resolves.toMatchObject({ seq: kept!.seq });

    const [head] = await tables.query<{ seq: number; range: Buffer }>('SELECT seq::int AS seq, range FROM audit.head');
    const [entry] = await tables.query<{ leaf: Buffer }>('SELECT leaf FROM audit.entry WHERE seq = $1', [kept!.seq]);
    const proof = await inclusionProof(kept!.seq - 1, 302, new TreeReader(replica.database).of('acme'));
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

  it('are dropped by the owner only, and never those of this month or of the class kept', async () => {
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
    await expect(tables.query(`DELETE FROM ${partition}`)).rejects.toThrow('the audit log is append-only');
    expect(
      await tables.query('SELECT class, month FROM audit.partitions WHERE number = $1', [monthOf(monthsAgo(3))]),
    ).toHaveLength(3);
  });
});
