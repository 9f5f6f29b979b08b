// Runs the backup commands of docs/runbook.md where PostgreSQL's programs are installed: dump, base backup, write-ahead
// log and ledger. Then it runs both restores, which must erase again all customers that were erased since the backup.
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseServices } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { databaseSetup } from '@holdfast/platform-policy';
import { eventually, freePort } from '@holdfast/testing';

const run = promisify(execFile);
const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const runbook = readFileSync(at('docs/runbook.md'), 'utf8');

/** PostgreSQL's programs from Debian, Homebrew or the PATH. The PostgreSQL from npm has no pg_dump. */
function findPrograms(): string | undefined {
  const below = (folder: string, rest: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder)
          .sort()
          .reverse()
          .map((name) => join(folder, name, rest))
      : [];
  const folders = [
    ...below('/usr/lib/postgresql', 'bin'),
    ...below('/opt/homebrew/opt', 'bin').filter((name) => name.includes('postgresql')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup', 'psql'].every((name) =>
      existsSync(join(folder, name)),
    ),
  );
}

const bin = findPrograms();
const describeIfInstalled = bin === undefined ? describe.skip : describe;

describeIfInstalled(
  `the backups of the runbook${bin ? '' : ' (skipped: no pg_dump; on Debian: apt-get install postgresql)'}`,
  () => {
    const [erased, other] = [randomUUID(), randomUUID()];
    /** PostgreSQL does not run as root, and the user that it runs as may have no access to the clone. */
    const user =
      process.getuid?.() === 0
        ? { uid: Number(execFileSync('id', ['-u', 'nobody'])), gid: Number(execFileSync('id', ['-g', 'nobody'])) }
        : undefined;
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-backup-'));
    const backups = ownFolder(join(folder, 'backup'));
    ownFolder(join(backups, 'wal'));
    mkdirSync(join(backups, 'checkpoints'));
    /** The folder of the command `holdfast`. */
    const commands = join(folder, 'bin');
    mkdirSync(commands);
    writeFileSync(
      join(commands, 'holdfast'),
      `#!/bin/sh\nexec "${process.execPath}" "${at('apps/cli/dist/main.js')}" "$@"\n`,
      {
        mode: 0o755,
      },
    );
    let server: ChildProcess | undefined;
    let port: number;
    let before: string;

    function ownFolder(path: string): string {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      if (user) for (const owned of [folder, path]) chownSync(owned, user.uid, user.gid);
      return path;
    }
    const url = (database: string): string => `postgresql://postgres:backup@127.0.0.1:${port}/${database}`;
    const asPostgres = (program: string, ...args: string[]): Promise<unknown> =>
      run(join(bin!, program), args, { ...user, cwd: folder });

    async function start(data: string): Promise<void> {
      const log = openSync(join(folder, 'postgres.log'), 'a');
      server = spawn(join(bin!, 'postgres'), ['-D', data, '-c', `port=${port}`], {
        ...user,
        cwd: folder,
        stdio: ['ignore', log, log],
      });
      await eventually(
        async () =>
          expect(
            (await query<{ recovering: boolean }>('postgres', 'SELECT pg_is_in_recovery() AS recovering'))[0],
          ).toEqual({ recovering: false }),
        30_000,
      );
    }
    async function stop(): Promise<void> {
      if (!server || server.exitCode !== null || server.signalCode !== null) return;
      const ended = new Promise((resolve) => server!.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
    }
    async function query<Row extends pg.QueryResultRow>(
      database: string,
      sql: string,
      values?: unknown[],
    ): Promise<Row[]> {
      const client = new pg.Client({ connectionString: url(database) });
      client.on('error', () => undefined);
      await client.connect();
      try {
        // Without values, one text may contain several statements.
        return (await (values ? client.query<Row>(sql, values) : client.query<Row>(sql))).rows;
      } finally {
        await client.end();
      }
    }
    /** The first code block of the runbook that contains this text, with the folder of this test. */
    function block(content: string, language = 'sh'): string {
      const match = [...runbook.matchAll(/```(\w*)\n([\s\S]*?)```/g)].find(
        ([, of, text]) => of === language && text!.includes(content),
      );
      if (!match) throw new Error(`docs/runbook.md has no block with ${content}`);
      return match[2]!.replaceAll('/backup/wal', join(backups, 'wal'));
    }
    const shell = (text: string, database: string): Promise<unknown> =>
      run('sh', ['-euc', text], {
        env: {
          PATH: [bin!, commands, process.env.PATH ?? ''].join(delimiter),
          DATABASE_URL: url(database),
          BACKUP_DIR: backups,
        },
      });
    const backupOf = (kind: string): string =>
      join(
        backups,
        readdirSync(backups).find((name) => name.startsWith(`${kind}-`))!,
      );
    const customers = async (database: string): Promise<string[]> =>
      (await query<{ id: string }>(database, 'SELECT id FROM issuance.subject ORDER BY created_at')).map(
        ({ id }) => id,
      );
    /** The steps after each restore. A dry run changes nothing. */
    async function eraseAgain(database: string): Promise<void> {
      const before = await customers(database);
      await shell(block('--dry-run'), database);
      expect(await customers(database)).toEqual(before);
      await shell(block('holdfast restore --ledger "$BACKUP_DIR/erased.csv"\n'), database);
    }

    beforeAll(async () => {
      port = await freePort();
      const password = join(folder, 'password');
      writeFileSync(password, 'backup', { mode: 0o644 });
      const data = join(folder, 'data');
      await asPostgres(
        'initdb',
        '-D',
        data,
        '-U',
        'postgres',
        '-A',
        'scram-sha-256',
        '--pwfile',
        password,
        '-E',
        'UTF8',
        '--locale=C',
        '-N',
      );
      writeFileSync(
        join(data, 'postgresql.conf'),
        `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\n${block('archive_mode', '')}`,
      );
      await start(data);
      await query('postgres', 'CREATE DATABASE holdfast');
      const passwords = Object.fromEntries(databaseServices.map((service) => [service, 'x']));
      for (const statement of databaseSetup({ passwords })) await query('holdfast', statement);
      for (const service of databaseServices)
        await run(process.execPath, [at(`apps/${service}/dist/migrate.js`)], {
          env: { PATH: process.env.PATH, DATABASE_URL: url('holdfast') },
        });
      for (const id of [erased, other])
        await query(
          'holdfast',
          `INSERT INTO issuance.subject (id, org, app, version, created_at)
           VALUES ($1, 'acme', 'a', 1, clock_timestamp())`,
          [id],
        );
    }, 120_000);
    afterAll(async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    }, 60_000);

    it('are created by its commands while the database is in use', async () => {
      await shell(block('pg_dump'), 'holdfast');
      await shell(block('pg_basebackup'), 'holdfast');
      before = (await query<{ now: string }>('holdfast', 'SELECT clock_timestamp()::text AS now'))[0]!.now;
      await query('holdfast', 'DELETE FROM issuance.subject WHERE id = $1', [erased]);
      await query('holdfast', 'INSERT INTO issuance.erased (hash) VALUES ($1)', [customerKey('acme', erased)]);
      // The ledger is copied repeatedly.
      for (let time = 0; time < 2; time += 1) await shell(block('holdfast backup erasure-ledger'), 'holdfast');
      await query('holdfast', 'SELECT pg_switch_wal()');
      expect(
        readdirSync(backups)
          .map((name) => name.replace(/-.*/, ''))
          .sort(),
      ).toEqual(['base', 'checkpoints', 'dump', 'erased.csv', 'wal']);
      expect(readdirSync(backupOf('base')).sort()).toEqual(expect.arrayContaining(['base.tar.gz', 'pg_wal.tar.gz']));
      await eventually(() => expect(readdirSync(join(backups, 'wal')).length).toBeGreaterThan(1), 20_000);
    }, 120_000);

    it('restore a dump into an empty database, and erase customers again that were erased since', async () => {
      await query('postgres', 'CREATE DATABASE restored');
      for (const statement of databaseSetup({
        passwords: Object.fromEntries(databaseServices.map((service) => [service, 'x'])),
      }))
        await query('restored', statement);
      await shell(block('pg_restore').replace(/\$BACKUP_DIR\/dump-\w+/, backupOf('dump')), 'restored');
      expect(await customers('restored')).toEqual([erased, other]);
      await eraseAgain('restored');
      expect(await customers('restored')).toEqual([other]);
      // The steps may be repeated, as after an interrupted restore.
      await eraseAgain('restored');
      expect(await customers('restored')).toEqual([other]);
    }, 120_000);

    it('restore the state before an erasure, and erase again', async () => {
      await stop();
      const data = ownFolder(join(folder, 'restored'));
      const base = backupOf('base');
      await run('tar', ['-xzf', join(base, 'base.tar.gz'), '-C', data]);
      await run('tar', ['-xzf', join(base, 'pg_wal.tar.gz'), '-C', join(data, 'pg_wal')]);
      writeFileSync(join(data, 'recovery.signal'), '');
      writeFileSync(
        join(data, 'postgresql.conf'),
        `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n` +
          block('restore_command', '').replace(/2026-11-22 10:15:00\+00/, before),
      );
      if (user) await run('chown', ['-R', `${user.uid}:${user.gid}`, data]);
      await start(data);
      expect(await customers('holdfast')).toEqual([erased, other]);
      await eraseAgain('holdfast');
      expect(await customers('holdfast')).toEqual([other]);
    }, 120_000);
  },
);
