import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AckPolicy, jetstream } from '@nats-io/jetstream';
import { entryStream } from '@holdfast/contracts';
import { connectBus } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import {
  createTestDatabase,
  startReplicatedServer,
  startTestBus,
  type ReplicatedServer,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import type { Finding } from './doctor/finding.js';

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const migrated = ['auth', 'issuance', 'subjects', 'audit', 'directory', 'signals'] as const;
let nats: TestBus;
let database: TestDatabase;

beforeAll(async () => {
  nats = await startTestBus();
  database = await createTestDatabase('audit', async (ownerUrl) => {
    for (const service of migrated) await run([at(`apps/${service}/dist/migrate.js`)], { DATABASE_URL: ownerUrl });
  });
}, 300_000);
afterAll(async () => {
  await nats.stop();
  await database.drop();
});

interface Report {
  findings: Finding[];
  failed: number;
  exitCode: number;
}

function run(args: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve) =>
    execFile(process.execPath, args, { env: { PATH: process.env.PATH, ...env } }, (error, stdout) =>
      resolve({ code: error ? Number(error.code) : 0, stdout }),
    ),
  );
}

async function doctor(env: NodeJS.ProcessEnv = {}): Promise<Report> {
  const { code, stdout } = await run([at('apps/cli/dist/main.js'), 'doctor', '--json'], {
    NATS_URL: nats.url,
    NATS_NKEY_SEED: nats.seed('operator'),
    NATS_DEPLOY_NKEY_SEED: nats.seed('deploy'),
    DATABASE_URL: database.ownerUrl,
    ...env,
  });
  return { ...(JSON.parse(stdout) as Report), exitCode: code };
}

const results = ({ findings }: Report, check: string) =>
  findings.filter((finding) => finding.check === check).map(({ result, detail }) => `${result}: ${detail}`);

describe('holdfast doctor', () => {
  it('names services without a replica and streams that are not declared, and exits with 1', async () => {
    const report = await doctor();
    expect(results(report, 'NATS')).toEqual([expect.stringMatching(/^ok: nats-server 2\.\d+\.\d+ responds in/)]);
    for (const service of ['audit', 'auth', 'directory', 'issuance'])
      expect(results(report, service)).toEqual(['failed: no replica announces itself']);
    expect(results(report, 'JetStream')).toEqual([expect.stringContaining('failed: stream not found')]);
    expect(results(report, 'migrations')).toEqual(['ok: of 6 services are applied']);
    expect(results(report, 'undelivered rows')).toEqual(['ok: none is older than 60 s']);
    expect(report.findings.filter(({ result, advice }) => result !== 'ok' && !advice)).toEqual([]);
    expect(report.exitCode).toBe(1);
  });

  it('skips what it has no access for, and says what it needs', async () => {
    const report = await doctor({ DATABASE_URL: undefined, NATS_DEPLOY_NKEY_SEED: undefined });
    expect(results(report, 'PostgreSQL')).toEqual(['skipped: DATABASE_URL is not set']);
    expect(results(report, 'JetStream')).toEqual(['skipped: NATS_DEPLOY_NKEY_SEED is not set']);
  });

  it('names missing and unknown migrations, waiting events and quarantined records', async () => {
    await database.query(`DELETE FROM issuance.migrations WHERE id = (SELECT max(id) FROM issuance.migrations)`);
    await database.query(`INSERT INTO signals.migrations (timestamp, name) VALUES (1, 'OfTomorrow1')`);
    await database.query(
      `INSERT INTO directory.outbox (id, aggregate, subject, payload, created_at)
       VALUES (gen_random_uuid(), 'a', 'evt.directory.app.updated', '{}', now() - interval '2 hours')`,
    );
    const report = await doctor();
    expect(results(report, 'migrations')).toEqual([
      expect.stringMatching(/^failed: issuance lacks \w+$/),
      'warning: signals has 1 that this version does not know',
    ]);
    expect(results(report, 'undelivered rows')).toEqual([
      expect.stringMatching(/^warning: 1 events of directory have waited for 7[2-9]\d\d s at most$/),
    ]);
  });

  it('names a reader of the audit log that does not read', async () => {
    await run([at('apps/cli/dist/main.js'), 'bus', 'declare'], {
      NATS_URL: nats.url,
      NATS_NKEY_SEED: nats.seed('deploy'),
    });
    const entries = `stream ${entryStream.name}`;
    expect(results(await doctor(), entries)).toEqual([expect.stringMatching(/^ok: 0\.0 MB of \d+ MB, 0 readers$/)]);
    const [reader, idle] = ['reader-00000000000000aa', 'reader-00000000000000bb'] as const;
    const connection = await connectBus(
      { url: nats.url, nkeySeed: nats.seed('audit'), user: 'audit' },
      createLogger('test', 'fatal'),
    );
    const js = jetstream(connection, { checkAPI: false });
    const { consumers } = await js.jetstreamManager(false);
    const create = (durable_name: string, filter_subject: string) =>
      consumers.add(entryStream.name, { durable_name, filter_subject, ack_policy: AckPolicy.Explicit });
    await create(reader, 'audit.entry.acme.>');
    await create(idle, 'audit.entry.globex.>');
    await Promise.all(Array.from({ length: 1001 }, () => js.publish('audit.entry.acme.subject.read', '{}')));
    await connection.close();
    expect(results(await doctor(), entries)).toEqual([
      `warning: ${reader} has not acknowledged 1001 entries, of which the oldest are discarded in time`,
    ]);
  });

  it('names a wrong password of the database without repeating it', async () => {
    const url = new URL(database.ownerUrl);
    url.password = 'wrong-password';
    const report = await doctor({ DATABASE_URL: url.href });
    expect(results(report, 'PostgreSQL')).toEqual([expect.stringContaining('password authentication failed')]);
    expect(JSON.stringify(report)).not.toContain('wrong-password');
  });
});

/** Roles belong to the whole server, so this test has one of its own. */
describe('the roles of a database', () => {
  let server: ReplicatedServer;
  let own: TestDatabase;
  beforeAll(async () => {
    server = await startReplicatedServer();
    own = await createTestDatabase('audit', () => Promise.resolve(), { server: server.primaryUrl });
  });
  afterAll(() => server.stop());
  const roles = async () => results(await doctor({ DATABASE_URL: own.ownerUrl }), 'roles');

  it('are named when they are missing, may not log in, have too many rights or read tables of others', async () => {
    expect(await roles()).toEqual(['ok: 6 exist, each with its own tables only']);
    await own.query('ALTER ROLE holdfast_auth NOLOGIN');
    await own.query('ALTER ROLE holdfast_issuance CREATEROLE');
    await own.query('CREATE TABLE audit.head (org text)');
    await own.query('GRANT USAGE ON SCHEMA audit TO holdfast_signals');
    await own.query('GRANT SELECT ON audit.head TO holdfast_signals');
    await own.query('ALTER ROLE holdfast_directory RENAME TO renamed');
    expect((await roles()).sort()).toEqual([
      'failed: holdfast_auth may not log in',
      'failed: holdfast_directory does not exist',
      'failed: holdfast_issuance has rights of an administrator',
      'failed: holdfast_signals may read the tables of audit',
    ]);
  });
});
