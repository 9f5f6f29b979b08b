import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendRecords } from '@holdfast/contracts';
import { eventually, freePort, newTestFolder, testConfig, testContext, type TestDatabase } from '@holdfast/testing';
import { auditDatabase, customerTarget, recordOf, startAuditBus } from './audit.fixture.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('the process', () => {
  const [KEY_ENCRYPTION_KEY, AUDIT_SIGNING_KEYS] = [randomBytes(32), randomBytes(32)].map((key) =>
    key.toString('base64url'),
  );
  const keys = { KEY_ENCRYPTION_KEY, AUDIT_SIGNING_KEYS, CHECKPOINT_DIR: newTestFolder('checkpoints') };
  let environment: Awaited<ReturnType<typeof startAuditBus>>;
  let tables: TestDatabase;
  const children: ChildProcess[] = [];

  const start = async () => {
    if (!existsSync(main)) throw new Error('apps/audit is not built: run nx build audit');
    const port = await freePort();
    const config = { ...testConfig(environment.nats, 'audit'), DATABASE_URL: tables.url(), OPS_PORT: port, ...keys };
    const env = Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)]));
    const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, ...env }, stdio: 'inherit' });
    children.push(child);
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    return child;
  };

  beforeAll(async () => {
    environment = await startAuditBus();
    tables = await auditDatabase();
  });
  afterAll(async () => {
    children.forEach((child) => child.kill('SIGKILL'));
    await tables.drop();
    await environment.stop();
  });

  it('leaves no gap and loses no acknowledged record when it is killed repeatedly', async () => {
    const acknowledged: string[] = [];
    let stopped = false;
    const writer = async () => {
      while (!stopped) {
        const records = Array.from({ length: 20 }, () => ({
          org: 'acme',
          record: recordOf({ targets: [customerTarget()], outcome: { result: 'success', status: 200 } }),
        }));
        const isAcknowledged = await environment.bus
          .request({ ...appendRecords, timeoutMs: 500 }, { records }, testContext())
          .then(
            () => true,
            () => false,
          );
        if (isAcknowledged) acknowledged.push(...records.map((r) => r.record.id));
        else await sleep(20);
      }
    };
    let child = await start();
    const writers = Promise.all(Array.from({ length: 8 }, writer));
    for (let round = 0; round < 4; round += 1) {
      const before = acknowledged.length;
      await eventually(() => acknowledged.length > before + 200);
      child.kill('SIGKILL');
      await once(child, 'exit');
      child = await start();
    }
    stopped = true;
    await writers;
    const [log] = await tables.query(
      'SELECT count(*)::int AS n, count(DISTINCT id)::int AS ids, max(seq)::int AS last FROM audit.leaf',
    );
    expect(log).toMatchObject({ ids: log!.n, last: log!.n });
    const [found] = await tables.query(
      'SELECT count(*)::int AS n FROM audit.leaf JOIN audit.entry USING (org, seq) WHERE id = ANY ($1)',
      [acknowledged],
    );
    expect(found).toEqual({ n: acknowledged.length });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
