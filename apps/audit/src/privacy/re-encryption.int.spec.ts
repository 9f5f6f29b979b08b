import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { systemClock } from '@holdfast/platform';
import { Readiness, Shutdown } from '@holdfast/service';
import { testContext, type TestDatabase } from '@holdfast/testing';
import { auditDatabase, auditKeys, openedBy, recordOf, replicaOf } from '../audit.fixture.js';
import { WaitingRecords } from '../quarantine/pending-records.js';
import type { StoredEntry } from '../query/entry-decryption.js';
import { ReEncryption } from './re-encryption.js';

/** It speaks of each key that does not open. */
Logger.overrideLogger(false);
const address = '198.51.100.23';
const old = auditKeys();
const next = randomBytes(32);
/** The three steps of a rotation. */
const announced = { ...old, KEY_ENCRYPTION_KEY_PREVIOUS: next };
const rotated = { ...old, KEY_ENCRYPTION_KEY: next, KEY_ENCRYPTION_KEY_PREVIOUS: old.KEY_ENCRYPTION_KEY };
const finished = { ...old, KEY_ENCRYPTION_KEY: next };

describe('a rotation of KEY_ENCRYPTION_KEY', () => {
  let tables: TestDatabase;
  const replicas: Awaited<ReturnType<typeof replicaOf>>[] = [];
  const started = async (keys: Parameters<typeof replicaOf>[1]) => {
    const replica = await replicaOf(tables, keys);
    replicas.push(replica);
    const readiness = new Readiness();
    const worker = new ReEncryption(replica.database, keys!, new Shutdown(), readiness);
    return {
      ...replica,
      worker,
      readiness,
      opened: openedBy(replica.database, keys),
      waiting: new WaitingRecords(replica.database, systemClock, keys!),
    };
  };
  type Replica = Awaited<ReturnType<typeof started>>;
  const signIn = (id: string) =>
    recordOf({
      action: 'customer.sign_in',
      actor: { type: 'customer', id },
      request: { ...testContext().request, address },
    });
  const signInAll = ({ log }: Replica, people: string[]) =>
    log.append(people.map((id) => ({ org: 'acme', record: signIn(id) })));
  const erase = ({ log }: Replica, id: string) =>
    log.append([
      {
        org: 'acme',
        record: recordOf({ action: 'subject.erase', targets: [{ type: 'customer', id, dataSubject: id }] }),
        erases: id,
      },
    ]);
  const addresses = async ({ database, opened }: Replica) => {
    const entries = await database.rows<StoredEntry>({
      name: '',
      text: 'SELECT seq, leaf, person, personal FROM entry ORDER BY seq',
    });
    return (await opened.events('acme', entries))
      .filter((event) => event.request.address === address)
      .map((event) => event.actor.id);
  };
  const people = (count: number) => Array.from({ length: count }, () => randomUUID());

  beforeEach(async () => {
    tables = await auditDatabase();
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await tables.drop();
  });

  it('opens what is sealed with either key at each step, seals anew, says when the previous key can be removed, and needs it no more', async () => {
    const [first, second, third] = [people(450), people(3), people(3)];
    await signInAll(await started(old), first);
    const before = await started(announced);
    const after = await started(rotated);
    // Rolling: both are running.
    await signInAll(after, second);
    await signInAll(before, third);
    const all = [...first, ...second, ...third];
    expect(await addresses(before)).toEqual(all);
    expect(await addresses(after)).toEqual(all);

    await before.worker.round();
    expect(await after.worker.round()).toBe(0);
    expect(await register.getSingleMetricAsString('holdfast_audit_sealed_with_other_keys')).toMatch(/ 0$/m);
    expect(after.readiness.mentioned).toEqual([expect.stringContaining('KEY_ENCRYPTION_KEY_PREVIOUS can be removed')]);
    expect(await addresses(await started(finished))).toEqual(all);
    expect(await addresses(await started(old))).toEqual([]);
  });

  it('leaves alone what another replica seals with the newer key, whichever of them looks first', async () => {
    const [before, after] = [await started(announced), await started(rotated)];
    await signInAll(before, people(3));
    await before.worker.round();
    expect(await after.worker.round()).toBe(0);
    expect(await before.worker.round()).toBe(3);
    expect(before.readiness.mentioned).toEqual([
      expect.stringContaining(
        '3 personal data keys and waiting records are not sealed with the current KEY_ENCRYPTION_KEY',
      ),
    ]);
    expect(await after.worker.round()).toBe(0);
  });

  it('erases in its middle: nobody comes back, nobody waits for long, and all others still open', async () => {
    const before = await started(old);
    const all = people(600);
    for (let i = 0; i < all.length; i += 200) await signInAll(before, all.slice(i, i + 200));
    const after = await started(rotated);
    const gone = all.filter((_, i) => i % 6 === 0);
    const [left] = await Promise.all([after.worker.round(), ...gone.map((id) => erase(after, id))]);
    expect(left).toBe(0);
    const remaining = all.filter((id) => !gone.includes(id));
    expect(
      (await tables.query<{ data_subject: string }>('SELECT data_subject FROM audit.person_key'))
        .map((row) => row.data_subject)
        .toSorted(),
    ).toEqual(remaining.toSorted());
    expect(await addresses(await started(finished))).toEqual(remaining);
  });

  it('seals waiting records anew too, leaves those that are not sealed as they are, and reports what no key opens', async () => {
    const before = await started(old);
    const waits = recordOf({ occurredAt: new Date(0).toISOString() });
    await before.waiting.park([{ item: { org: 'acme', record: waits }, fault: new Error('damaged') }]);
    const plain = recordOf({ action: 'audit.drop' });
    await tables.query("INSERT INTO audit.provisional (org, id, record, due_at) VALUES ('acme', $1, $2, 'epoch')", [
      plain.id,
      JSON.stringify(plain),
    ]);
    const foreign = await started(auditKeys());
    await foreign.waiting.keep([{ org: 'acme', record: recordOf() }]);
    const after = await started(rotated);
    expect(await after.worker.round()).toBe(1);
    expect(await after.worker.round()).toBe(1);
    await tables.query("UPDATE audit.provisional SET due_at = 'epoch'");
    const opened = (await (await started(finished)).waiting.due()).map(({ record }) => record.id);
    expect(opened.toSorted()).toEqual([waits.id, plain.id].toSorted());
  });
});
