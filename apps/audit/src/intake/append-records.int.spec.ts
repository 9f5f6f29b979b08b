import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditRecord } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import type { TestDatabase } from '@holdfast/testing';
import { Sequencer } from '../append/sequencer.js';
import { assertWhole, auditDatabase, auditKeys, recordOf, replicaOf } from '../audit.fixture.js';

type Replica = Awaited<ReturnType<typeof replicaOf>>;

describe('appending while the database fails', () => {
  let tables: TestDatabase;
  let replicas: Replica[];
  const keys = auditKeys();

  beforeEach(async () => {
    tables = await auditDatabase();
    replicas = await Promise.all([replicaOf(tables, keys), replicaOf(tables, keys)]);
  });
  afterEach(async () => {
    await Promise.all(replicas.map((r) => r.stop()));
    await tables.drop();
  });

  it('repeats a batch that PostgreSQL has ended to resolve a deadlock', async () => {
    const { database, log } = replicas[0]!;
    const begin = database.transaction.bind(database);
    let deadlocks = 2;
    database.transaction = (work) =>
      (deadlocks -= 1) < 0 ? begin(work) : Promise.reject(Object.assign(new Error('deadlock'), { code: '40P01' }));
    await log.append([{ org: 'acme', record: recordOf() }]);
    expect(await assertWhole(tables)).toBe(1);
  });

  it('has each record once and no gap when connections of two replicas are cut during their batches', async () => {
    let writing = true;
    const appended: string[] = [];
    let cut = 0;
    // Cuts busy connections, and each time a fifth of the idle ones.
    const cutting = (async () => {
      for (let round = 0; writing; round += 1) {
        const terminated = await tables.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'replica'
              AND (state = 'active' OR (pid + $1) % 5 = 0)`,
          [round],
        );
        cut += terminated.length;
        await sleep(25);
      }
    })();
    const writers = Array.from({ length: 6 }, async (_, n) => {
      for (let batch = 0; batch < 10; batch += 1) {
        const records = Array.from({ length: 1 + ((n * 7 + batch * 3) % 40) }, () => recordOf());
        const items = records.map((record) => ({ org: `org-${(n + batch) % 2}`, record }));
        // A writer without a reply sends the same batch again.
        while (
          !(await replicas[n % 2]!.log.append(items).then(
            () => true,
            () => false,
          ))
        );
        appended.push(...records.map((r) => r.id));
      }
    });
    await Promise.all(writers);
    writing = false;
    await cutting;
    expect(cut).toBeGreaterThan(3);
    expect(await assertWhole(tables)).toBe(appended.length);
    const ids = await tables.query<{ id: string }>('SELECT id FROM audit.leaf');
    expect(ids.map((r) => r.id).sort()).toEqual(appended.sort());
  });

  const transientErrors: [name: string, code: string, breaking: string[], repairing: string[]][] = [
    [
      'the right to write is revoked',
      '42501',
      ['REVOKE INSERT ON audit.entry FROM holdfast_audit'],
      ['GRANT INSERT ON audit.entry TO holdfast_audit'],
    ],
    [
      'the disk is full',
      '53100',
      [
        `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$`,
        'CREATE TRIGGER full_disk BEFORE INSERT ON audit.leaf EXECUTE FUNCTION full_disk()',
      ],
      ['DROP TRIGGER full_disk ON audit.leaf'],
    ],
    [
      'the server is read-only',
      '25006',
      ['ALTER ROLE holdfast_audit IN DATABASE current SET default_transaction_read_only = on'],
      ['ALTER ROLE holdfast_audit IN DATABASE current RESET default_transaction_read_only'],
    ],
  ];

  it.each(transientErrors)(
    'when %s, rejects a batch as a whole at the first attempt, and appends it once afterwards',
    async (_, code, breaking, repairing) => {
      const [{ name }] = (await tables.query('SELECT current_database() AS name')) as [{ name: string }];
      const run = async (statements: string[]) => {
        for (const sql of statements) await tables.query(sql.replace('current', name));
      };
      await replicas[0]!.log.append([{ org: 'acme', record: recordOf() }]);
      await run(breaking);
      const [replica] = replicas.splice(0, 1, await replicaOf(tables, keys));
      await replica!.stop();
      let attempts = 0;
      const counted = {
        append: (...items: Parameters<Replica['log']['append']>) => (
          (attempts += 1),
          replicas[0]!.log.append(...items)
        ),
      };
      const sequencer = new Sequencer(counted as never);
      const records: AuditRecord[] = Array.from({ length: 300 }, () => recordOf());
      const append = () => sequencer.append(records.map((record) => ({ org: 'acme', record })));
      await expect(append()).rejects.toMatchObject({ code });
      expect(attempts).toBe(1);
      await run(repairing);
      // The role's settings apply to new connections.
      const reconnected = await replicaOf(tables, keys);
      await replicas.splice(0, 1, reconnected)[0]!.stop();
      await append();
      await append();
      expect(await assertWhole(tables)).toBe(301);
    },
  );

  it('appends the other records of a batch when one record cannot be stored', async () => {
    const sequencer = new Sequencer(replicas[0]!.log);
    const bad = recordOf({ id: 'not-a-uuid' });
    const results = await Promise.allSettled(
      [recordOf(), bad, recordOf()].map((record) => sequencer.append([{ org: 'acme', record }])),
    );
    expect(results.map((r) => r.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await assertWhole(tables)).toBe(2);
  });

  it('waits a few seconds at most for a replica that hangs during a batch', async () => {
    await replicas[0]!.log.append([{ org: 'acme', record: recordOf() }]);
    const locked = Promise.withResolvers<void>();
    const appended = Promise.withResolvers<void>();
    // Holds the lock on the head until PostgreSQL ends its transaction, which it does before the append has succeeded.
    let limit: unknown;
    const limited = await Database.connect({
      url: tables.urlWithProductionLimits(),
      pool: 1,
      applicationName: 'hanging',
    });
    const hanging = limited.transaction(async (sql) => {
      [limit] = await sql.rows({ name: '', text: 'SHOW idle_in_transaction_session_timeout' });
      await sql.rows({ name: '', text: "SELECT FROM head WHERE org = 'acme' FOR UPDATE" });
      locked.resolve();
      await appended.promise;
      return sql.rows({ name: '', text: 'SELECT 1' });
    });
    const failed = expect(hanging).rejects.toThrow();
    await locked.promise;
    await replicas[0]!.log.append([{ org: 'acme', record: recordOf() }]).finally(() => appended.resolve());
    expect(limit).toEqual({ idle_in_transaction_session_timeout: '3s' });
    await failed;
    await limited.close();
    expect(await assertWhole(tables)).toBe(2);
  });
});
