import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendRecords, auditCheckpoint, auditConsistency, auditProof, type RequestContext } from '@holdfast/contracts';
import {
  eventually,
  freePort,
  newTestFolder,
  randomSequence,
  testConfig,
  testContext,
  type TestDatabase,
} from '@holdfast/testing';
import { leafHash, readCheckpoint, verifyConsistency, verifyInclusion, type Checkpoint } from '@holdfast/tlog';
import { assertWhole, auditDatabase, customerTarget, recordOf, startAuditBus } from './audit.fixture.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const seed = Math.floor(Date.now() % 1_000_000);
const random = randomSequence(seed);
const orgs = Array.from({ length: 6 }, (_, n) => `org-${n}`);
const fromBase64 = (hashes: string[]): Buffer[] => hashes.map((hash) => Buffer.from(hash, 'base64'));

describe(`three replicas of which one is killed and one is paused (seed ${seed})`, () => {
  const keys = {
    KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64url'),
    AUDIT_SIGNING_KEYS: randomBytes(32).toString('base64url'),
    CHECKPOINT_DIR: newTestFolder('checkpoints'),
  };
  let environment: Awaited<ReturnType<typeof startAuditBus>>;
  let tables: TestDatabase;
  const replicas: ChildProcess[] = [];
  const acknowledged = new Map<string, string[]>(orgs.map((org) => [org, []]));
  const total = () => [...acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0);

  const start = async (): Promise<ChildProcess> => {
    const port = await freePort();
    // PostgreSQL ends the transaction of the paused replica after the time of production.
    const address = { DATABASE_URL: tables.urlWithProductionLimits(), OPS_PORT: port, LOG_LEVEL: 'fatal' };
    const config = { ...testConfig(environment.nats, 'audit'), ...address, ...keys };
    const env = Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)]));
    const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, ...env }, stdio: 'inherit' });
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    return child;
  };
  const asked = <T>(request: (context: RequestContext) => Promise<T>, org: string): Promise<T> =>
    eventually(() => request(testContext({ org })));
  const checkpointOf = async (org: string): Promise<Checkpoint> => {
    const { checkpoint } = await asked((context) => environment.bus.request(auditCheckpoint, {}, context), org);
    return readCheckpoint(checkpoint);
  };

  beforeAll(async () => {
    environment = await startAuditBus();
    tables = await auditDatabase();
    replicas.push(...(await Promise.all([start(), start(), start()])));
  });
  afterAll(async () => {
    for (const replica of replicas) replica.kill('SIGKILL');
    await tables.drop();
    await environment.stop();
  });

  it('loses no acknowledged record, appends each once, and breaks no proof', async () => {
    let stopped = false;
    // A writer without a reply sends the same records again, as gateways and relays do.
    const writer = async () => {
      while (!stopped) {
        const records = Array.from({ length: 1 + random(20) }, () => ({
          org: orgs[random(orgs.length)]!,
          record: recordOf({ targets: [customerTarget()] }),
        }));
        const append = () => environment.bus.request({ ...appendRecords, timeoutMs: 1000 }, { records }, testContext());
        while (
          !(await append().then(
            () => true,
            () => sleep(20, false),
          ))
        );
        for (const { org, record } of records) acknowledged.get(org)!.push(record.id);
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, writer));
    const more = (count: number) => {
      const goal = total() + count;
      return eventually(() => total() >= goal);
    };
    await more(200);
    const early = new Map<string, Checkpoint>();
    for (const org of orgs) early.set(org, await checkpointOf(org));

    const victim = random(3);
    const paused = replicas[(victim + 1 + random(2)) % 3]!;
    await more(random(200));
    paused.kill('SIGSTOP');
    await more(random(100));
    replicas[victim]!.kill('SIGKILL');
    await once(replicas[victim]!, 'exit');
    await more(200);
    paused.kill('SIGCONT');
    replicas[victim] = await start();
    await more(200);
    stopped = true;
    await writers;

    await assertWhole(tables);
    for (const [org, ids] of acknowledged) {
      const found = await tables.query<{ id: string }>('SELECT id FROM audit.leaf WHERE org = $1 AND id = ANY ($2)', [
        org,
        ids,
      ]);
      expect([org, found.map(({ id }) => id).sort()]).toEqual([org, [...ids].sort()]);
      const [from, to] = [early.get(org)!, await checkpointOf(org)];
      const proof = await asked(
        (context) => environment.bus.request(auditConsistency, { from: from.size, to: to.size }, context),
        org,
      );
      const roots = { fromRoot: from.root, toRoot: to.root, proof: fromBase64(proof.hashes) };
      expect([org, verifyConsistency({ from: from.size, to: to.size, ...roots })]).toEqual([org, true]);
      for (const id of [ids[0]!, ids[random(ids.length)]!, ids.at(-1)!]) {
        const included = await asked((context) => environment.bus.request(auditProof, { id }, context), org);
        const { size, root } = readCheckpoint(included.checkpoint);
        const leaf = leafHash(Buffer.from(included.leaf, 'base64'));
        const at = { index: included.seq - 1, size, leafHash: leaf, proof: fromBase64(included.hashes), root };
        expect([org, id, verifyInclusion(at)]).toEqual([org, id, true]);
      }
    }
  }, 240_000);
});
