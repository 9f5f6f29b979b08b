// Runs every command of docs/runbook.md and docs/shards.md. Operators use them only when something is broken or is to
// be moved, so that nobody else would find a command that has become wrong.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseServices } from '@holdfast/contracts';
import { stack } from '../clients/under-test.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { root, type App } from '../stack/stack.ts';

const text = ['runbook.md', 'shards.md'].map((name) => readFileSync(join(root, 'docs', name), 'utf8')).join('\n');
const programs = [
  ...['holdfast', 'node', 'npm', 'openssl', 'docker', 'psql'],
  ...['SELECT', 'UPDATE', 'DELETE', 'INSERT', 'ALTER', 'VACUUM', 'REINDEX', 'ANALYZE'],
];
/** Commands and statements within the text, and the first line of each block. */
const commands = [
  ...[...text.matchAll(new RegExp(`\`((?:${programs.join('|')})(?: [^\`]*)?)\``, 'g'))].map(([, command]) =>
    command!.replaceAll('\\|', '|'),
  ),
  ...[...text.matchAll(/```(?:sh|sql)\n([^\n]*)/g)].map(([, line]) => line!),
];

let org: string;
let app: App;
let owner: pg.Client;

const holdfast =
  (...args: string[]) =>
  (): Promise<unknown> =>
    stack.operator(...args);
/** Runs a statement as the owner of the database and rolls it back, since other tests use the same database. */
const rolledBack = (sql: string) => async (): Promise<void> => {
  await owner.query('BEGIN');
  try {
    await owner.query(sql);
  } finally {
    await owner.query('ROLLBACK');
  }
};

/** How each command is run here, with the arguments that the runbook leaves out. */
const run: Record<string, () => Promise<unknown>> = {
  'holdfast bus declare': holdfast('bus', 'declare'),
  'holdfast database setup': holdfast('database', 'setup'),
  'holdfast events quarantined': holdfast('events', 'quarantined'),
  'holdfast events retry': holdfast('events', 'retry'),
  'holdfast secret create': () => stack.operator('secret', 'create', app.clientId),
  'holdfast secret revoke': async () =>
    stack.operator(
      'secret',
      'revoke',
      app.clientId,
      (await stack.operator<{ id: string }[]>('secret', 'list', app.clientId))[0]!.id,
    ),
  'holdfast ssf list <org>': () => stack.operator('ssf', 'list', org),
  'holdfast webhook list <org>': () => stack.operator('webhook', 'list', org),
  'holdfast key rotate <org>': () => stack.operator('key', 'rotate', org),
  'holdfast key rotate <org> --retire': () => stack.operator('key', 'rotate', org, '--retire'),
  'holdfast key rotate --platform': () => stack.operator('key', 'rotate', '--platform', '--overlap', '600'),
  'holdfast secrets rotate status': () =>
    stack.operator('secrets', 'rotate', 'status', '--file', join(stack.home, 'secrets.json')),
  'holdfast app limits': () => stack.operator('app', 'limits', app.clientId, '--read', '240000'),
  'holdfast org limits': () => stack.operator('org', 'limits', org, '--write', '60000'),
  'holdfast app disable': () => stack.operator('app', 'disable', app.clientId),
  'holdfast org suspend': () => stack.operator('org', 'suspend', org),
  'holdfast org list': () => stack.operator('org', 'list'),
  'holdfast presence set <org> --turnstile-secret-stdin': () =>
    stack.operatorWith('a secret', 'presence', 'set', org, '--turnstile-secret-stdin'),
  'SELECT * FROM watermarks.subjects': rolledBack('SELECT * FROM watermarks.subjects'),
  'SELECT org, count(*), min(due_at) FROM audit.pending_record WHERE quarantined GROUP BY org': rolledBack(
    'SELECT org, count(*), min(due_at) FROM audit.pending_record WHERE quarantined GROUP BY org',
  ),
  VACUUM: () => owner.query('VACUUM'),
  'ALTER SYSTEM RESET synchronous_standby_names': () => owner.query('ALTER SYSTEM RESET synchronous_standby_names'),
  'node dist/migrate.js': async () => {
    const migrate = (service: string) =>
      promisify(execFile)(process.execPath, [join(root, 'apps', service, 'dist', 'migrate.js')], {
        env: cleanEnvironment({ DATABASE_URL: stack.launcher.databaseUrl }),
      });
    for (const service of databaseServices) await migrate(service);
  },
};

/** A block that the restore drill runs. */
const inDrill = (content: string) => ({
  why: 'needs a database host to lose',
  file: 'apps/e2e/src/restore/restorable-stack.ts',
  as: `runbookBlock('${content}`,
});

const moves = 'apps/e2e/src/shards/organization-moves.ts';
const inMoves = (as: string) => ({ why: 'needs several shards', file: moves, as });

const inDeletion = (as: string) => ({
  why: 'needs an organization of its own',
  file: 'apps/e2e/src/operation/organization-deletion.spec.ts',
  as: `'${as}'`,
});

/** Commands that are not run here, the reason, and the test that runs them, if one does: its file contains `as`. */
const notHere: Record<string, { why: string; file?: string; as?: string }> = {
  holdfast: { why: 'the name of the command line' },
  'npm run holdfast --': { why: 'how all others are run' },
  'holdfast doctor': { why: 'has a test of its own', file: 'apps/e2e/src/operation/doctor.spec.ts', as: "'doctor'" },
  'holdfast support-bundle': {
    why: 'has a test of its own',
    file: 'apps/e2e/src/observability/support-bundle.ts',
    as: "'support-bundle'",
  },
  'npm run holdfast -- service reload nats': {
    why: 'belongs to a rotation',
    file: 'apps/e2e/src/operation/rotation.spec.ts',
    as: "'reload'",
  },
  'holdfast org delete acme --yes': inDeletion('delete'),
  'holdfast org resume acme': inDeletion('resume'),
  'holdfast org export': inDeletion('export'),
  'holdfast org purge acme acme-archive': inDeletion('purge'),
  'holdfast org import acme-archive': inDeletion('import'),
  'npm start': { why: 'how the stack under test was started' },
  psql: { why: 'the name of a program' },
  'kubectl delete secret holdfast-nats-routes': { why: 'needs a cluster' },
  'VACUUM FULL': { why: 'is part of database rewrite' },
  'holdfast database rewrite': {
    why: 'locks all tables',
    file: 'apps/e2e/src/audit/erased-files.spec.ts',
    as: 'rewrite',
  },
  'holdfast database rewrite --if-erased': {
    why: 'locks all tables',
    file: 'apps/e2e/src/audit/erased-files.spec.ts',
    as: 'rewrite',
  },
  'holdfast backup checkpoints "$BACKUP_DIR/checkpoints"': {
    why: 'needs logs with checkpoints',
    file: 'apps/cli/src/restore.int.spec.ts',
    as: "'backup', 'checkpoints'",
  },
  'holdfast audit verify': {
    why: 'needs a log with entries',
    file: 'apps/e2e/src/audit/proofs.spec.ts',
    as: "'verify'",
  },
  'holdfast audit sign-again --all --checkpoints "$CHECKPOINT_DIR"': {
    why: 'needs a log that has lost entries',
    file: 'apps/cli/src/restore.int.spec.ts',
    as: "'sign-again'",
  },
  'holdfast secrets rotate start AUDIT_SIGNING_KEYS': {
    why: 'belongs to a rotation',
    file: 'apps/e2e/src/operation/rotation.spec.ts',
    as: 'AUDIT_SIGNING_KEYS',
  },
  'holdfast audit drop': {
    why: 'needs a log with past months',
    file: 'apps/e2e/src/audit/partitions.spec.ts',
    as: "'drop'",
  },
  'holdfast analytics rebuild <org>': {
    why: 'needs a log with entries',
    file: 'apps/e2e/src/audit/analytics.spec.ts',
    as: "'rebuild'",
  },
  'holdfast audit destination list --org acme': {
    why: 'needs a destination',
    file: 'apps/e2e/src/audit/destinations.spec.ts',
    as: "run('list', '--org', org)",
  },
  'holdfast audit destination list --all': {
    why: 'needs a destination',
    file: 'apps/e2e/src/audit/destinations.spec.ts',
    as: "run('list', '--all')",
  },
  'holdfast audit destination test <id> --all': {
    why: 'needs a destination',
    file: 'apps/e2e/src/audit/destinations.spec.ts',
    as: "run('test'",
  },
  'holdfast audit destination delete <id> --all': {
    why: 'needs a destination',
    file: 'apps/e2e/src/alerts/audit-incidents.ts',
    as: "'delete', destination.id",
  },
  'holdfast audit reader delete': {
    why: 'needs a reader',
    file: 'apps/e2e/src/alerts/audit-incidents.ts',
    as: "'delete', reader.id",
  },
  'npm run versions -- --ref <the version that runs>': {
    why: 'its short form is a test',
    file: 'apps/e2e/src/versions/versions.spec.ts',
    as: 'runSideBySide',
  },
  'npm run restore-drill': {
    why: 'its short form is a test',
    file: 'apps/e2e/src/restore/restore-drill.spec.ts',
    as: 'loseNothing',
  },
  'cp -R "$CHECKPOINT_DIR/." "$BACKUP_DIR/checkpoints"': inDrill('cp -R "$CHECKPOINT_DIR'),
  'pg_receivewal --dbname "$DATABASE_URL" --slot holdfast --create-slot --if-not-exists': inDrill('pg_receivewal'),
  [`psql "$DATABASE_URL" -c "ALTER SYSTEM SET synchronous_standby_names = 'pg_receivewal'" ` +
  `-c 'SELECT pg_reload_conf()'`]: inDrill('synchronous_standby_names'),
  'mkdir -m 0700 "$PGDATA"': inDrill('tar -xzf'),
  'docker compose -f docker/compose.yaml exec postgres pg_dump …': { why: 'needs containers' },
  'holdfast restore': {
    why: 'erases customers, so that it needs its own database',
    file: 'apps/cli/src/restore.int.spec.ts',
    as: "'restore'",
  },
  'holdfast restore --ledger "$BACKUP_DIR/erased.csv" --checkpoints "$BACKUP_DIR/checkpoints" --dry-run': {
    why: 'erases customers, so that it needs its own database',
    file: 'apps/cli/src/restore.int.spec.ts',
    as: "'restore'",
  },
  'holdfast restore --ledger "$BACKUP_DIR/erased.csv"': {
    why: 'erases customers, so that it needs its own database',
    file: 'apps/cli/src/restore.int.spec.ts',
    as: "'restore'",
  },
  'holdfast backup erasure-ledger': {
    why: 'needs the addresses of several databases',
    file: 'apps/cli/src/own-databases.int.spec.ts',
    as: "'erasure-ledger'",
  },
  'holdfast backup erasure-ledger "$BACKUP_DIR/erased.csv"': {
    why: 'is part of a backup',
    file: 'apps/cli/src/restore.int.spec.ts',
    as: "'erasure-ledger'",
  },
  'holdfast key rotate --platform --retire': {
    why: 'ends the tokens of other tests',
    file: 'apps/auth/src/keys/rotation.int.spec.ts',
    as: 'retire: true',
  },
  'npm start -- --shards eu2': {
    why: 'needs several shards',
    file: 'apps/e2e/src/shards/shards.spec.ts',
    as: "'--shards', 'eu2'",
  },
  'holdfast org create acme --shard eu2': {
    why: 'needs several shards',
    file: 'apps/e2e/src/shards/shards.spec.ts',
    as: "'org', 'create', org, '--shard', shard",
  },
  'holdfast org move acme --to eu2': inMoves("move(org, '--to', 'eu2'"),
  'holdfast org move acme --to eu2 --stop-after check': inMoves("'--stop-after', step"),
  'holdfast org move acme --status': inMoves("'--status'"),
  'holdfast org move acme --cancel': inMoves("'--cancel'"),
  'holdfast org move acme --delete-source': inMoves("'--delete-source'"),
  'holdfast secrets create --shard --folder <path of the shard>': {
    why: 'needs the folder of a deployment',
    file: 'apps/cli/src/bus.int.spec.ts',
    as: "'--shard'",
  },
  'holdfast bus users --folder <path> --shard <path of the shard>': {
    why: 'needs the folder of a deployment',
    file: 'apps/cli/src/bus.int.spec.ts',
    as: "['--shard', shard!]",
  },
  'holdfast bus users': { why: 'needs the folder of a deployment' },
  'holdfast secrets rotate start COOKIE_KEY --folder "$SECRETS_DIR"    # both values are accepted': {
    why: 'needs restarts',
    file: 'apps/cli/src/secrets/rotation.spec.ts',
    as: 'makeCurrent',
  },
  'DO $$': {
    why: 'needs a damaged log',
    file: 'apps/audit/src/quarantine/damaged-log.int.spec.ts',
    as: 'docs/runbook.md',
  },
};
/** npm does not install PostgreSQL's client programs. This test runs them where they are installed. */
const ofPostgres = { pattern: /^(pg_dump|pg_restore|pg_basebackup) /, file: 'apps/cli/src/backup.int.spec.ts' };
const isNotHere = (command: string): boolean =>
  notHere[command] !== undefined ||
  (ofPostgres.pattern.test(command) &&
    readFileSync(join(root, ofPostgres.file), 'utf8').includes(command.split(' ')[0]!));

beforeAll(async () => {
  org = await stack.newOrganization();
  app = await stack.newApp(org, 'runbook', ['offers:write']);
  owner = new pg.Client({ connectionString: stack.launcher.databaseUrl });
  await owner.connect();
});
afterAll(() => owner.end());

describe('the runbook', () => {
  it('has no command that no test runs', () => {
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.filter((command) => !run[command] && !isNotHere(command))).toEqual([]);
    expect([...Object.keys(run), ...Object.keys(notHere)].filter((command) => !commands.includes(command))).toEqual([]);
    const elsewhere = Object.values(notHere).filter(({ file }) => file !== undefined);
    for (const { file, as = '' } of elsewhere)
      expect([file, readFileSync(join(root, file!), 'utf8')]).toEqual([file, expect.stringContaining(as)]);
  });

  it.each(Object.entries(run))('has the working command %s', async (_, command) => {
    await command();
  });
});
