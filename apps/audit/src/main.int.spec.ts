import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendRecords, type AuditRecord } from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import {
  createTestDatabase,
  eventually,
  freePort,
  newTestFolder,
  startTestBus,
  testConfig,
  testContext,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { migrations } from './migrations/index.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const quiet = createLogger('test', 'fatal');

describe('the process', () => {
  const [KEY_ENCRYPTION_KEY, AUDIT_SIGNING_KEYS] = [randomBytes(32), randomBytes(32)].map((key) =>
    key.toString('base64url'),
  );
  const keys = { KEY_ENCRYPTION_KEY, AUDIT_SIGNING_KEYS, CHECKPOINT_DIR: newTestFolder('checkpoints') };
  let nats: TestBus;
  let tables: TestDatabase;
  let bus: Bus;
  const running: ChildProcess[] = [];

  const start = async () => {
    if (!existsSync(main)) throw new Error('apps/audit is not built: run nx build audit');
    const port = await freePort();
    const config = { ...testConfig(nats, 'audit'), DATABASE_URL: tables.url(), OPS_PORT: port, ...keys };
    const env = Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value)]));
    const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, ...env }, stdio: 'inherit' });
    running.push(child);
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok, 15_000);
    return child;
  };

  beforeAll(async () => {
    nats = await startTestBus();
    tables = await createTestDatabase('audit', (url) => migrate('audit', url, migrations));
    const deploy = await connectBus({ url: nats.url, nkeySeed: nats.seed('deploy'), user: 'deploy' }, quiet);
    await declareStreams(deploy);
    await deploy.close();
    bus = new Bus(await connectBus({ url: nats.url, nkeySeed: nats.seed('gateway'), user: 'gateway' }, quiet));
  });
  afterAll(async () => {
    running.forEach((child) => child.kill('SIGKILL'));
    await bus.connection.close();
    await tables.drop();
    await nats.stop();
  });

  it('leaves no gap and loses no acknowledged record when it is killed repeatedly', async () => {
    const answered: string[] = [];
    let stopped = false;
    const writer = async () => {
      while (!stopped) {
        const records = Array.from({ length: 20 }, record);
        const sent = records.map((r) => ({ org: 'acme', record: r }));
        const fine = await bus.request({ ...appendRecords, timeout: 500 }, { records: sent }, testContext()).then(
          () => true,
          () => false,
        );
        if (fine) answered.push(...records.map((r) => r.id));
        else await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    let child = await start();
    const writers = Promise.all(Array.from({ length: 8 }, writer));
    for (let round = 0; round < 4; round += 1) {
      const before = answered.length;
      await eventually(() => answered.length > before + 200, 15_000);
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
    const [kept] = await tables.query(
      'SELECT count(*)::int AS n FROM audit.leaf JOIN audit.entry USING (org, seq) WHERE id = ANY ($1)',
      [answered],
    );
    expect(kept).toEqual({ n: answered.length });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

function record(): AuditRecord {
  const { auditId: id, actor, request } = testContext();
  const who = randomUUID();
  const targets = [{ type: 'customer' as const, id: who, dataSubject: who }];
  return {
    id,
    occurredAt: new Date().toISOString(),
    action: 'subject.read',
    actor,
    targets,
    outcome: { result: 'success', status: 200 },
    request,
  };
}
