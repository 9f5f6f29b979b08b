import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditRecord } from '@holdfast/contracts';
import { guessable, testContext, traces, type TestDatabase } from '@holdfast/testing';
import { CompactRange, inclusionProof, leafHash, verifyInclusion } from '@holdfast/tlog';
import {
  assertWhole,
  auditDatabase,
  auditKeys,
  customerTarget,
  decryptionBy,
  erasureOf,
  recordOf,
  replicaOf,
  storedEntries,
} from '../audit.fixture.js';
import { selectKeys } from '../query/entry-decryption.js';
import { TreeReader } from '../transparency/tree.js';

const address = '198.51.100.23';
const userAgent = 'Mozilla/5.0 (Canary)';

describe('after an erasure', () => {
  let tables: TestDatabase;
  let replica: Awaited<ReturnType<typeof replicaOf>>;
  const keys = auditKeys();
  const [who, other, third, credential] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const request = () => ({ ...testContext().request, address, userAgent });
  const signIn = (id: string, request_ = request()): AuditRecord =>
    recordOf({
      action: 'customer.sign_in',
      actor: { type: 'customer', id },
      targets: [
        customerTarget(id),
        { type: 'credential', id: id === who ? credential : `credential of ${id}`, dataSubject: id },
      ],
      request: request_,
    });
  const append = (...records: AuditRecord[]) => replica.log.append(records.map((record) => ({ org: 'acme', record })));
  const erase = (id = who) => replica.log.append([erasureOf(id)]);
  const entries = () => storedEntries(replica.database);
  const events = async () => decryptionBy(replica.database, keys).eventsOf('acme', await entries());

  /** Every row of every table, with bytes in hexadecimal: what pg_dump would write. */
  const dump = async (): Promise<string> => {
    const all = await tables.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts = await Promise.all(
      all.map(async ({ name }) =>
        (await tables.query<{ row: string }>(`SELECT t::text AS row FROM ONLY ${name} t`)).map((r) => r.row),
      ),
    );
    return texts.flat().join('\n');
  };

  beforeAll(async () => {
    tables = await auditDatabase();
    replica = await replicaOf(tables, keys);
  });
  afterAll(async () => {
    await replica.stop();
    await tables.drop();
  });

  it('a dump has no trace of the customer, not even a guessable hash, and other entries are still proved', async () => {
    await append(
      signIn(who),
      signIn(other),
      signIn(who),
      recordOf({ targets: [{ type: 'credential', id: credential, dataSubject: who }] }),
    );
    const before = await entries();
    const [first] = await events();
    expect(first).toMatchObject({ actor: { id: who }, request: { address, userAgent } });
    // Shows that the search finds traces where there are some.
    expect(traces(await dump(), [who, credential])).not.toEqual([]);
    const [head] = await replica.database.rows<{ seq: number; range: Buffer }>({
      name: '',
      text: 'SELECT seq, range FROM head',
    });
    const proof = await inclusionProof(0, 4, new TreeReader(replica.database).of('acme'));

    await erase();
    await append(signIn(who), recordOf({ targets: [{ type: 'credential', id: credential }] }));
    const [ofOther] = (await entries()).filter((e) => e.seq === 2);
    const after = await dump();
    expect(traces(after, [who, credential])).toEqual([]);
    expect(guessable(after, [who, credential, address, userAgent])).toEqual([]);
    const read = await events();
    expect(JSON.stringify(read)).not.toMatch(new RegExp(`${who}|${credential}`));
    expect(read.filter((e) => e.request.address !== undefined).map((e) => e.seq)).toEqual([2]);
    expect(read[1]).toMatchObject({ actor: { id: other }, request: { address, userAgent } });
    expect(ofOther!.leaf).toEqual(before[1]!.leaf);

    expect((await entries()).slice(0, 4).map((e) => e.leaf)).toEqual(before.map((e) => e.leaf));
    const root = CompactRange.from(head!.seq, head!.range).root();
    expect(verifyInclusion({ index: 0, size: 4, leafHash: leafHash(before[0]!.leaf), proof, root })).toBe(true);
    expect(await assertWhole(tables)).toBe(7);
  });

  it('a concurrent read resolves no pseudonym of an entry whose personal data it cannot decrypt', async () => {
    await append(signIn(third));
    const stored = (await entries()).slice(-1);
    const decryption = decryptionBy(replica.database, keys);
    // The erasure commits just before the key is loaded. If mappings were loaded first or concurrently, they would be
    // loaded within 100 ms, and the entry would look as if its personal data had been removed by tampering.
    const rows = replica.database.rows.bind(replica.database);
    replica.database.rows = async (statement, ...rest) => {
      if (statement.name === selectKeys.name) {
        await sleep(100);
        await erase(third);
      }
      return rows<never>(statement, ...rest);
    };
    const { mappings, personal } = await decryption
      .decrypt('acme', stored)
      .finally(() => (replica.database.rows = rows));
    expect([[...mappings.keys()], personal]).toEqual([[], [{}]]);
  });

  it('records of the same batch, and of a second replica, leave nothing of the customer', async () => {
    const second = await replicaOf(tables, keys);
    const late = Array.from({ length: 20 }, () => signIn(who));
    await Promise.all([
      ...late.map((record, i) => [replica, second][i % 2]!.log.append([{ org: 'acme', record }])),
      replica.log.append([{ org: 'acme', record: signIn(who) }, erasureOf(who), { org: 'acme', record: signIn(who) }]),
    ]);
    await second.stop();
    const after = await dump();
    expect(traces(after, [who, credential])).toEqual([]);
    expect(guessable(after, [who, credential, address])).toEqual([]);
    await assertWhole(tables);
  });

  it('nothing is left of an id that callers chose for their requests', async () => {
    const erased = randomUUID();
    const chosen = {
      ...testContext().request,
      callerId: erased,
      callerTraceparent: `00-${erased.replaceAll('-', '')}-00f067aa0ba902b7-01`,
    };
    const records = [
      recordOf({ action: 'subject.list', request: chosen }),
      recordOf({ targets: [customerTarget(erased)], request: chosen }),
    ];
    await append(...records);
    expect((await events()).slice(-2).map(({ request: { id, traceparent } }) => [id, traceparent])).toEqual([
      [erased, chosen.callerTraceparent],
      [erased, chosen.callerTraceparent],
    ]);
    await erase(erased);
    // A late record, and one of an app that still uses the id.
    await append(
      recordOf({ action: 'subject.list', request: chosen }),
      recordOf({ targets: [customerTarget(other)], request: chosen }),
    );
    const after = await dump();
    expect(traces(after, [erased])).toEqual([]);
    expect(guessable(after, [erased, chosen.callerTraceparent])).toEqual([]);
    const read = await events();
    expect(JSON.stringify(read)).not.toContain(erased);
    expect(read.filter((e) => records.some((r) => r.id === e.id)).map((e) => e.request.id)).toEqual(
      records.map((r) => r.request.id),
    );
  });
});
