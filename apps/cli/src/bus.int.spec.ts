import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { connectBus } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { publicKeys } from '@holdfast/platform-policy';
import { startTestBus, type TestBus } from '@holdfast/testing';
import { secretsIn } from './secrets/folder.js';

let nats: TestBus;
beforeAll(async () => void (nats = await startTestBus()));
afterAll(() => nats.stop());

const cli = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL('../dist/main.js', import.meta.url)), ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
const declare = (seed: string) => cli(['bus', 'declare', '--json'], { NATS_URL: nats.url, NATS_NKEY_SEED: seed });

test('bus declare declares streams and consumers, and can be repeated', async () => {
  const first = JSON.parse((await declare(nats.seed('deploy'))).stdout) as { declared: string[] };
  expect(first.declared).toEqual(
    expect.arrayContaining(['stream ISSUANCE', 'consumer ISSUANCE/audit', 'stream DIRECTORY']),
  );
  expect(JSON.parse((await declare(nats.seed('deploy'))).stdout)).toEqual(first);
});

test('bus declare updates consumers that an earlier version declared', async () => {
  const connection = await connectBus(
    { url: nats.url, nkeySeed: nats.seed('deploy'), user: 'deploy' },
    createLogger('test', 'fatal'),
  );
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const { ack_wait: wanted } = (await manager.consumers.info('ISSUANCE', 'audit')).config;
  await manager.consumers.update('ISSUANCE', 'audit', { ack_wait: nanos(30_000) });
  await declare(nats.seed('deploy'));
  expect((await manager.consumers.info('ISSUANCE', 'audit')).config.ack_wait).toBe(wanted);
  await connection.close();
});

test('bus declare with the seed of another user fails and names the user deploy', async () => {
  await expect(declare(nats.seed('operator'))).rejects.toThrow(/Is NATS_NKEY_SEED that of the user deploy/);
});

test('bus users of a shard have its NKeys for its services, and those of the deployment for all others', async () => {
  const [common, shard] = ['common', 'shard'].map((name) => join(mkdtempSync(join(tmpdir(), 'holdfast-')), name));
  await cli(['secrets', 'create', '--folder', common!]);
  await cli(['secrets', 'create', '--folder', shard!, '--shard']);
  const [commonKeys, shardKeys] = await Promise.all(
    [[], ['--shard', shard!]].map(async (more) => (await cli(['bus', 'users', '--folder', common!, ...more])).stdout),
  );
  const secrets = await secretsIn(common!);
  const keys = publicKeys(secrets);
  const ofShard = publicKeys({ ...secrets, ...(await secretsIn(shard!)) });
  for (const user of ['gateway', 'auth', 'directory', 'deploy', 'operator'] as const)
    expect(shardKeys).toContain(keys[user][0]);
  for (const user of ['issuance', 'subjects', 'audit', 'signals'] as const) {
    expect(shardKeys).toContain(ofShard[user][0]);
    expect(shardKeys).not.toContain(keys[user][0]);
    expect(commonKeys).toContain(keys[user][0]);
  }
});
