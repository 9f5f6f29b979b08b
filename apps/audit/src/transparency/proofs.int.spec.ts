import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  appendRecords,
  auditCheckpoint,
  auditConsistency,
  auditProof,
  auditTile,
  auditVerifierKeys,
  exportAuditEntries,
  listAuditEvents,
  recordOperatorRead,
  type AuditRecord,
  type Contract,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { type RunningService } from '@holdfast/service';
import { eventually, patient, testContext, type TestDatabase } from '@holdfast/testing';
import {
  formatCheckpointLines,
  leafHash,
  openCheckpoint,
  parseCheckpointLines,
  parseVerifierKey,
  rootOf,
  verifyConsistency,
  verifyInclusion,
  type Checkpoint,
} from '@holdfast/tlog';
import {
  auditDatabase,
  auditKeys,
  recordOf,
  replicaOf,
  startAudit,
  startAuditBus,
  tamperWith,
} from '../audit.fixture.js';
import { commitment, pseudonymOf } from '../privacy/pseudonyms.js';

describe('transparency of a log', () => {
  let environment: Awaited<ReturnType<typeof startAuditBus>>;
  let tables: TestDatabase;
  let bus: Bus;
  let keys: ReturnType<typeof auditKeys>;
  let services: RunningService[];

  const start = async (given = keys) => {
    services.push(await startAudit(environment.nats, tables, given));
  };
  const stop = async () => Promise.all(services.splice(0).map((s) => s.stop()));
  const request = <C extends Contract>(contract: C, input: RequestOf<C>, org = 'acme'): Promise<ReplyOf<C>> =>
    bus.request(contract, input as never, testContext({ org }));
  const append = (...records: AuditRecord[]) =>
    bus.request(appendRecords, { records: records.map((r) => ({ org: 'acme', record: r })) }, testContext());
  const pinned = async () => (await request(auditVerifierKeys, {})).keys.map(parseVerifierKey);
  const checkpoint = async (): Promise<Checkpoint> =>
    openCheckpoint((await request(auditCheckpoint, {})).checkpoint, await pinned());
  const exported = async () => {
    const entries: ReplyOf<typeof exportAuditEntries>['entries'] = [];
    for (;;) {
      const page = await request(exportAuditEntries, { after: entries.length, limit: 500 });
      entries.push(...page.entries);
      if (!page.hasMore) return entries;
    }
  };
  const tamper = (sql: string) => tamperWith(tables, sql);
  /** The newest checkpoints outside of the database. */
  const stored = (): Record<string, string> => {
    const names = readdirSync(keys.CHECKPOINT_DIR).filter((name) => name.endsWith('.newest.ndjson'));
    const texts = names.sort().map((name) => readFileSync(join(keys.CHECKPOINT_DIR, name), 'utf8'));
    return Object.fromEntries(texts.flatMap(parseCheckpointLines));
  };

  beforeAll(async () => {
    environment = await startAuditBus();
    bus = environment.bus;
  });
  afterAll(() => environment.stop());
  beforeEach(async () => {
    [services, keys] = [[], auditKeys()];
    tables = await auditDatabase();
    await start();
  });
  afterEach(async () => {
    await stop();
    await tables.drop();
  });

  it('proves inclusion and consistency of every entry, at every size, as in RFC 9162', async () => {
    const seen: Checkpoint[] = [];
    for (const count of [1, 1, 5, 100, 148, 1, 1, 260]) {
      await append(...Array.from({ length: count }, () => recordOf()));
      seen.push(await checkpoint());
    }
    expect(seen.map((c) => c.size)).toEqual([1, 2, 7, 107, 255, 256, 257, 517]);
    const entries = await exported();
    const hashes = entries.map((e) => leafHash(Buffer.from(e.leaf!, 'base64')));
    expect(entries.map((e) => Buffer.from(e.leafHash, 'base64'))).toEqual(hashes);
    for (const { size, root } of seen) expect(root).toEqual(rootOf(hashes.slice(0, size)));

    const last = seen.at(-1)!;
    for (const { seq, found } of [entries[0]!, entries[255]!, entries[256]!, entries[511]!, entries[516]!]) {
      const proof = await request(auditProof, { id: found!.id });
      const of = {
        index: seq - 1,
        size: last.size,
        leafHash: leafHash(Buffer.from(proof.leaf, 'base64')),
        root: last.root,
      };
      expect(openCheckpoint(proof.checkpoint, await pinned())).toEqual(last);
      expect(verifyInclusion({ ...of, proof: proof.hashes.map(bytes) })).toBe(true);
    }
    for (const from of seen) {
      for (const to of seen.filter((c) => c.size >= from.size)) {
        const { hashes: proof } = await request(auditConsistency, { from: from.size, to: to.size });
        expect(
          verifyConsistency({
            from: from.size,
            to: to.size,
            fromRoot: from.root,
            toRoot: to.root,
            proof: proof.map(bytes),
          }),
        ).toBe(true);
      }
    }
    const tile = async (level: number, index: number, width: number) =>
      bytes((await request(auditTile, { level, index, width })).hashes);
    expect(await tile(0, 1, 256)).toEqual(Buffer.concat(hashes.slice(256, 512)));
    expect(await tile(0, 2, 5)).toEqual(Buffer.concat(hashes.slice(512)));
    expect(await tile(1, 0, 2)).toEqual(Buffer.concat([rootOf(hashes.slice(0, 256)), rootOf(hashes.slice(256, 512))]));
    for (const [level, index, width] of [
      [0, 2, 6],
      [1, 0, 3],
      [0, 3, 1],
      [5, 0, 1],
    ] as const)
      await expect(tile(level, index, width)).rejects.toMatchObject({ code: 'unknown_tile' });
  });

  it('rejects proofs of unknown entries, sizes and organizations with their error codes', async () => {
    await append(recordOf());
    await expect(request(auditConsistency, { from: 1, to: 2 })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ parameter: 'to' }],
    });
    await expect(request(auditProof, { id: randomUUID() })).rejects.toMatchObject({ code: 'unknown_event' });
    await expect(request(auditCheckpoint, {}, 'nobody')).rejects.toMatchObject({ code: 'unknown_organization' });
  });

  it('signs with all keys of a rotation, and with none of another organization', async () => {
    await append(recordOf());
    const [before] = await pinned();
    const { checkpoint: old } = await request(auditCheckpoint, {});
    await stop();
    await start({ ...keys, AUDIT_SIGNING_KEYS: [randomBytes(32), ...keys.AUDIT_SIGNING_KEYS] });
    const [now, still] = await pinned();
    expect(still).toEqual(before);
    const { checkpoint: note } = await request(auditCheckpoint, {});
    for (const key of [before!, now!]) expect(openCheckpoint(note, [key]).size).toBe(1);
    expect(() => openCheckpoint(old, [now!])).toThrow();
    expect((await request(auditVerifierKeys, {}, 'other')).keys[0]).not.toContain(now!.keyId);
  });

  it('stores checkpoints outside of the database about each second, and one of each day permanently', async () => {
    await append(recordOf(), recordOf());
    await eventually(async () => openCheckpoint(stored().acme ?? '', await pinned()).size === 2);
    // The file of the day is written after the newest one, from which the line above reads.
    await eventually(() =>
      expect(readdirSync(keys.CHECKPOINT_DIR).sort()).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^\d{4}-\d\d-\d\d-[-0-9a-f]{36}\.first\.ndjson$/),
          expect.stringMatching(/^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-[-0-9a-f]{36}\.newest\.ndjson$/),
        ]),
      ),
    );
  });

  it('signs many logs with few files, and one that is broken does not keep the others from it', async () => {
    const orgs = Array.from({ length: 600 }, (_, n) => `org-${n}`);
    // Not over the bus, where a message may take 1.5 s at most.
    const replica = await replicaOf(tables, keys);
    const appendToAll = () => replica.log.append(orgs.map((org) => ({ org, record: recordOf() })));
    const unsigned = async () =>
      (
        await tables.query<{ org: string }>(
          'SELECT org FROM audit.head h LEFT JOIN audit.checkpoint c USING (org) WHERE h.seq <> coalesce(c.size, 0)',
        )
      ).map(({ org }) => org);
    await appendToAll();
    await eventually(async () => (await unsigned()).length === 0);
    await tamper("UPDATE audit.head SET range = sha256('') WHERE org = 'org-7'");
    await appendToAll();
    await eventually(async () => (await unsigned()).join() === 'org-7');
    await replica.stop();
    expect(Object.keys(stored()).sort()).toEqual(orgs.toSorted());
    expect(readdirSync(keys.CHECKPOINT_DIR).length).toBeLessThan(100);
  });

  it('signs what a replica has appended that has ended before it could sign', async () => {
    const ended = await replicaOf(tables, keys);
    await ended.log.append([{ org: 'acme', record: recordOf() }]);
    await ended.stop();
    await eventually(async () => openCheckpoint(stored().acme ?? '', await pinned()).size === 1);
  });

  describe('a log that was tampered with', () => {
    const expectBroken = (reason: RegExp) =>
      expect(request(auditCheckpoint, {})).rejects.toMatchObject({
        code: 'unavailable',
        detail: expect.stringMatching(reason) as unknown,
      });

    it('is not signed when the database was rolled back to an earlier state', async () => {
      await append(recordOf(), recordOf());
      const before = await checkpoint();
      await tables.query('CREATE TABLE aside AS SELECT * FROM audit.head');
      await append(recordOf());
      await checkpoint();
      await tamper(
        `UPDATE audit.head h SET seq = a.seq, range = a.range FROM aside a WHERE a.org = h.org;
         DELETE FROM audit.leaf WHERE seq > 2;
         DELETE FROM audit.entry WHERE seq > 2;
         UPDATE audit.checkpoint SET size = 0, note = ''`,
      );
      await expectBroken(/ends at 2, but the checkpoint in .*newest\.ndjson covers 3: 1 entries are gone/);
      await expect(
        request(auditProof, { id: (await request(listAuditEvents, { filter: {}, limit: 1 })).items[0]!.id }),
      ).rejects.toMatchObject({ code: 'unavailable' });
      // Another history of the same length is detected as well, by another process.
      await stop();
      await start();
      await append(recordOf(), recordOf());
      await expectBroken(/does not continue the 3 of the checkpoint in/);
      expect(before.size).toBe(2);
    });

    it('is not signed when the folder is lost and the log does not continue the stored checkpoint', async () => {
      await append(recordOf());
      await checkpoint();
      await rm(keys.CHECKPOINT_DIR, { recursive: true });
      await tamper(`UPDATE audit.head SET range = '\\x${'00'.repeat(32)}'`);
      await expectBroken(/does not continue the 1 of the checkpoint in the database/);
    });

    it('is not signed when its stored checkpoint cannot be read', async () => {
      await append(recordOf());
      await checkpoint();
      await writeFile(join(keys.CHECKPOINT_DIR, 'x.newest.ndjson'), formatCheckpointLines([['acme', 'nonsense']]));
      await expectBroken(/cannot be read/);
    });

    it('is not signed when it does not continue a checkpoint that an earlier version has stored', async () => {
      await append(recordOf(), recordOf());
      const { checkpoint: note } = await request(auditCheckpoint, {});
      await stop();
      await rm(keys.CHECKPOINT_DIR, { recursive: true });
      await mkdir(join(keys.CHECKPOINT_DIR, 'acme'), { recursive: true });
      await writeFile(join(keys.CHECKPOINT_DIR, 'acme', 'latest'), note);
      await tamper(
        `TRUNCATE audit.leaf, audit.entry, audit.checkpoint; UPDATE audit.head SET seq = 0, range = '', month = 0`,
      );
      await start();
      await append(recordOf());
      await expectBroken(/ends at 1, but the checkpoint in .*acme.latest covers 2/);
    });

    it('yields no proof of a changed entry', async () => {
      const r = recordOf();
      await append(r);
      await tamper(
        `UPDATE audit.entry
            SET leaf = convert_to(replace(convert_from(leaf, 'UTF8'), 'subject.read', 'subject.list'), 'UTF8')`,
      );
      await expect(request(auditProof, { id: r.id })).rejects.toMatchObject({
        code: 'unavailable',
        detail: expect.stringMatching(/Entry 1 .*changed/) as unknown,
      });
    });
  });

  it('answers 503 while the checkpoint folder cannot be written, and succeeds afterwards', async () => {
    await append(recordOf());
    const folder = keys.CHECKPOINT_DIR;
    await eventually(() => stored().acme !== undefined);
    // A file instead of the folder: nothing can be written into it, even by root.
    await rename(folder, `${folder}-aside`);
    await writeFile(folder, '');
    const r = recordOf();
    await append(r);
    for (const pendingReply of [
      request(auditCheckpoint, {}),
      request(auditProof, { id: r.id }),
      request(auditConsistency, { from: 1, to: 2 }),
      request(exportAuditEntries, { after: 0, limit: 10 }),
    ]) {
      await expect(pendingReply).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    }
    await rm(folder);
    await rename(`${folder}-aside`, folder);
    expect(await checkpoint()).toMatchObject({ size: 2 });
  });

  it('exports the columns by which lists find entries, even when they were tampered with', async () => {
    const times = Array.from(
      { length: 300 },
      (_, i) => Date.UTC(2026, 9, 1) + (i === 200 ? -5000 : i === 100 ? 7000 : i),
    );
    await append(...times.map((time) => recordOf({ occurredAt: new Date(time).toISOString() })));
    const { lateMs } = await request(exportAuditEntries, { after: 0, limit: 1 });
    expect(lateMs).toBe(7000 + 5000);
    const entries = await exported();
    expect(new Set(entries.map((e) => `${e.class} ${e.month}`))).toEqual(new Set(['reads 2026-10']));
    expect(entries.flatMap(({ seq, lastAt }) => (lastAt === undefined ? [] : [[seq, lastAt]]))).toEqual([
      [256, new Date(times[100]!).toISOString()],
    ]);
    await tamper("UPDATE audit.subtree SET last_at = 'infinity'");
    expect((await exported())[255]!.lastAt).toBe('9999-12-31T00:00:00.000Z');
    // Subtrees outside of the log: one would hide all entries before its time, the other all entries after it.
    await tamper(
      `DELETE FROM audit.subtree;
       INSERT INTO audit.subtree VALUES ('acme', 1, -1, '', 'infinity'), ('acme', 1, 4000, '', 'epoch')`,
    );
    const { items } = await request(listAuditEvents, {
      filter: { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' },
      limit: 200,
    });
    expect(items).toHaveLength(200);
  });

  it('exports the pseudonym mappings and personal data of an entry with a data subject', async () => {
    const who = randomUUID();
    const requestInfo = { ...testContext().request, address: '203.0.113.7', userAgent: 'Browser/1.0' };
    await append(
      recordOf({
        actor: { type: 'customer', id: who },
        targets: [{ type: 'credential', id: 'credential-1', dataSubject: who }],
        request: requestInfo,
      }),
      recordOf({ request: requestInfo }),
    );
    const [entry, byNobody] = await exported();
    const leaf = JSON.parse(bytes(entry!.leaf!).toString()) as {
      actor: { id: string };
      targets: { id: string }[];
      personal: Record<string, string>;
    };
    const salted = (given: { value: string; salt: string }) => ({ value: given.value, salt: bytes(given.salt) });
    expect(entry!.names!.map((name) => [name.pseudonym, name.value, pseudonymOf(salted(name))])).toEqual([
      [leaf.actor.id, who, leaf.actor.id],
      [leaf.targets[0]!.id, 'credential-1', leaf.targets[0]!.id],
    ]);
    const values = Object.entries(entry!.personal!).map(([field, value]) => [
      field,
      value.value,
      commitment(salted(value)).toString('base64url'),
    ]);
    expect(values).toEqual([
      ['address', '203.0.113.7', leaf.personal.address],
      ['userAgent', 'Browser/1.0', leaf.personal.userAgent],
    ]);
    expect(entry!.found).toMatchObject({
      action: 'subject.read',
      actor: leaf.actor.id,
      targets: [leaf.targets[0]!.id],
    });
    expect(bytes(byNobody!.leaf!).toString()).not.toMatch(/203\.0|Browser|personal/);
    const [other, own] = (await request(listAuditEvents, { filter: {}, limit: 2 })).items;
    expect(own!.request).toMatchObject({ address: '203.0.113.7', userAgent: 'Browser/1.0' });
    expect(own).not.toHaveProperty('personal');
    expect(other!.request.address).toBeUndefined();
  });

  describe('a read by the operator, which bypasses the gateway', () => {
    const operator = { type: 'operator', id: 'operator' } as const;
    const contextOf = (route: string, org = 'acme') =>
      testContext({ org, actor: operator, request: { method: 'CLI', route } });
    const recorded = async () =>
      (await request(listAuditEvents, { filter: { actor: 'operator' }, limit: 200 })).items.map(
        ({ id, seq, action, request }) => [seq, id, action, request.route],
      );

    it('is recorded once per command, however many pages an export has', async () => {
      await append(...Array.from({ length: 5 }, () => recordOf()));
      const [keys, checkpoint, consistency, whole] = [
        'audit key',
        'audit checkpoint',
        'audit consistency',
        'audit export',
      ].map((command) => contextOf(`holdfast ${command}`));
      await bus.request(auditVerifierKeys, {}, keys!);
      await bus.request(auditCheckpoint, {}, checkpoint!);
      await bus.request(auditConsistency, { from: 1, to: 6 }, consistency!);
      const seqs: number[] = [];
      for (let hasMore = true; hasMore;) {
        const page = await bus.request(exportAuditEntries, { after: seqs.length, limit: 3 }, whole!);
        seqs.push(...page.entries.map((e) => e.seq));
        ({ hasMore } = page);
      }
      // The record of the export comes after the checkpoint of its first page; a later page may include it.
      expect(seqs.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await recorded()).toEqual([
        [9, whole!.auditId, 'audit.export', 'holdfast audit export'],
        [8, consistency!.auditId, 'audit.prove', 'holdfast audit consistency'],
        [7, checkpoint!.auditId, 'audit.prove', 'holdfast audit checkpoint'],
        [6, keys!.auditId, 'audit.prove', 'holdfast audit key'],
      ]);
    });

    it('is recorded for other services, when the actor is the operator', async () => {
      await append(recordOf());
      const directory = patient(new Bus(await environment.connectAs('directory')));
      const list = contextOf('holdfast app show');
      await directory.request(
        recordOperatorRead,
        { action: 'app.read', targets: [{ type: 'app', id: 'app_1' }] },
        list,
      );
      await expect(
        directory.request(recordOperatorRead, { action: 'app.list', targets: [] }, testContext()),
      ).rejects.toMatchObject({ code: 'invalid_request' });
      await directory.connection.close();
      expect(await recorded()).toEqual([[2, list.auditId, 'app.read', 'holdfast app show']]);
    });

    it('of a damaged log succeeds, and its record is quarantined', async () => {
      await append(recordOf(), recordOf(), recordOf());
      await checkpoint();
      await tamper('UPDATE audit.head SET seq = seq - 1');
      const whole = contextOf('holdfast audit verify');
      for (const seq of [1, 2])
        expect(
          (await bus.request(exportAuditEntries, { after: seq - 1, limit: 1 }, whole)).entries.map((e) => e.seq),
        ).toEqual([seq]);
      expect(await tables.query('SELECT org, id FROM audit.pending_record WHERE quarantined')).toEqual([
        { org: 'acme', id: whole.auditId },
      ]);
    });

    it('fails when it cannot be recorded, and when the log does not exist', async () => {
      await append(recordOf());
      await tables.query('REVOKE INSERT ON audit.entry FROM holdfast_audit');
      for (const [contract, input] of [
        [auditVerifierKeys, {}],
        [auditCheckpoint, {}],
        [auditConsistency, { from: 1, to: 1 }],
        [exportAuditEntries, { after: 0, limit: 1 }],
      ] as const) {
        await expect(bus.request(contract as Contract, input, contextOf('holdfast audit'))).rejects.toMatchObject({
          code: 'unavailable',
        });
      }
      await tables.query('GRANT INSERT ON audit.entry TO holdfast_audit');
      expect(await recorded()).toEqual([]);
      for (const contract of [auditVerifierKeys, auditCheckpoint])
        await expect(bus.request(contract as Contract, {}, contextOf('holdfast audit', 'acmee'))).rejects.toMatchObject(
          { code: 'unknown_organization' },
        );
      expect(await tables.query('SELECT org FROM audit.head')).toEqual([{ org: 'acme' }]);
    });
  });
});

const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');
