import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { register } from 'prom-client';
import { systemClock } from '@holdfast/platform';
import { Readiness } from '@holdfast/service';
import { testContext, type TestDatabase } from '@holdfast/testing';
import {
  auditDatabase,
  auditKeys,
  decryptionBy,
  erasureOf,
  recordOf,
  replicaOf,
  storedEntries,
} from '../audit.fixture.js';
import { PendingRecords } from '../quarantine/pending-records.js';
import { AuditKeyRotation } from './key-rotation.js';

/** An error is logged for each key that cannot be decrypted. */
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
    const rotation = new AuditKeyRotation(replica.database, keys!, readiness);
    return {
      ...replica,
      rotation,
      readiness,
      decryption: decryptionBy(replica.database, keys),
      pending: new PendingRecords(replica.database, systemClock, keys!),
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
  /** The customers whose addresses the replica can decrypt. */
  const decryptable = async ({ database, decryption }: Replica) =>
    (await decryption.eventsOf('acme', await storedEntries(database)))
      .filter((event) => event.request.address === address)
      .map((event) => event.actor.id);
  const people = (count: number) => Array.from({ length: count }, () => randomUUID());

  beforeEach(async () => {
    tables = await auditDatabase();
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await tables.drop();
  });

  it('decrypts with both keys, re-encrypts, and reports when the previous key can be removed', async () => {
    const [first, second, third] = [people(450), people(3), people(3)];
    await signInAll(await started(old), first);
    const before = await started(announced);
    const after = await started(rotated);
    // A rolling restart: both versions are running.
    await signInAll(after, second);
    await signInAll(before, third);
    const all = [...first, ...second, ...third];
    expect(await decryptable(before)).toEqual(all);
    expect(await decryptable(after)).toEqual(all);

    await before.rotation.follow();
    expect(await after.rotation.follow()).toBe(0);
    expect(await register.getSingleMetricAsString('holdfast_audit_encrypted_with_other_keys')).toMatch(/ 0$/m);
    expect(after.readiness.remarks).toEqual([expect.stringContaining('Another replica uses')]);
    await tables.query(`UPDATE audit.key_use SET used_at = used_at - interval '1 minute'`);
    expect(await after.rotation.follow()).toBe(0);
    expect(after.readiness.remarks).toEqual([expect.stringContaining('KEY_ENCRYPTION_KEY_PREVIOUS can be removed')]);
    expect(await decryptable(await started(finished))).toEqual(all);
    expect(await decryptable(await started(old))).toEqual([]);
  });

  it('does not re-encrypt rows of a replica with a newer key', async () => {
    const [before, after] = [await started(announced), await started(rotated)];
    await signInAll(before, people(3));
    await before.rotation.follow();
    expect(await after.rotation.follow()).toBe(0);
    expect(await before.rotation.follow()).toBe(3);
    expect(before.readiness.remarks).toEqual([
      expect.stringContaining('3 personal data keys and pending records need another KEY_ENCRYPTION_KEY'),
    ]);
    expect(await after.rotation.follow()).toBe(0);
  });

  it('re-encrypts the keys of all other customers when some are erased concurrently', async () => {
    const before = await started(old);
    const all = people(600);
    for (let i = 0; i < all.length; i += 200) await signInAll(before, all.slice(i, i + 200));
    const after = await started(rotated);
    const erased = all.filter((_, i) => i % 6 === 0);
    // As many at a time as there are replicas at most: each append waits for the lock on the head with a connection.
    const erase = async (n: number) => {
      for (const id of erased.filter((_, i) => i % 4 === n)) await after.log.append([erasureOf(id)]);
    };
    const [left] = await Promise.all([after.rotation.follow(), ...[0, 1, 2, 3].map(erase)]);
    expect(left).toBe(0);
    const remaining = all.filter((id) => !erased.includes(id));
    expect(
      (await tables.query<{ data_subject: string }>('SELECT data_subject FROM audit.personal_data_key'))
        .map((row) => row.data_subject)
        .toSorted(),
    ).toEqual(remaining.toSorted());
    expect(await decryptable(await started(finished))).toEqual(remaining);
  });

  it('re-encrypts pending records, leaves plain ones as they are, and reports those that no key decrypts', async () => {
    const before = await started(old);
    const quarantined = recordOf({ occurredAt: new Date(0).toISOString() });
    await before.pending.quarantine([{ item: { org: 'acme', record: quarantined }, error: new Error('damaged') }]);
    const plain = recordOf({ action: 'audit.drop' });
    await tables.query("INSERT INTO audit.pending_record (org, id, record, due_at) VALUES ('acme', $1, $2, 'epoch')", [
      plain.id,
      JSON.stringify(plain),
    ]);
    const foreign = await started(auditKeys());
    await foreign.pending.storeProvisional([{ org: 'acme', record: recordOf() }]);
    const after = await started(rotated);
    expect(await after.rotation.follow()).toBe(1);
    expect(await after.rotation.follow()).toBe(1);
    await tables.query("UPDATE audit.pending_record SET due_at = 'epoch'");
    const due = (await (await started(finished)).pending.due()).map(({ record }) => record.id);
    expect(due.toSorted()).toEqual([quarantined.id, plain.id].toSorted());
  });
});
