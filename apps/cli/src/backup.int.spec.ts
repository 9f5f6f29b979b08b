// Runs the backup commands of docs/runbook.md where PostgreSQL's programs are installed: dump, base backup, write-ahead
// log and ledger. Then it runs both restores, which must erase again all customers that were erased since the backup.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseServices } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { databaseSetup } from '@holdfast/platform-policy';
import { backupPrograms, DatabaseHost, eventually, runbookBlock } from '@holdfast/testing';

const run = promisify(execFile);
const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const bin = backupPrograms();
const describeIfInstalled = bin === undefined ? describe.skip : describe;

describeIfInstalled(
  `the backups of the runbook${bin ? '' : ' (skipped: no pg_dump; on Debian: apt-get install postgresql)'}`,
  () => {
    const [erased, other] = [randomUUID(), randomUUID()];
    let host: DatabaseHost;
    let before: string;

    /** A block of the runbook, with the folder of this test. */
    const block = (...args: Parameters<typeof runbookBlock>): string =>
      runbookBlock(...args).replaceAll('/backup/wal', join(host.backups, 'wal'));
    const customers = async (database: string): Promise<string[]> =>
      (await host.query<{ id: string }>(database, 'SELECT id FROM issuance.subject ORDER BY created_at')).map(
        ({ id }) => id,
      );
    /** The steps after each restore. A dry run changes nothing. */
    async function eraseAgain(database: string): Promise<void> {
      const before = await customers(database);
      await host.shell(block('--dry-run'), database);
      expect(await customers(database)).toEqual(before);
      await host.shell(block('holdfast restore --ledger "$BACKUP_DIR/erased.csv"\n'), database);
    }

    beforeAll(async () => {
      host = new DatabaseHost(bin!, at('apps/cli/dist/main.js'));
      await host.create('data', `fsync = off\n${block('archive_mode', '')}`, 'holdfast');
      const passwords = Object.fromEntries(databaseServices.map((service) => [service, 'x']));
      for (const statement of databaseSetup({ passwords })) await host.query('holdfast', statement);
      for (const service of databaseServices)
        await run(process.execPath, [at(`apps/${service}/dist/migrate.js`)], {
          env: { PATH: process.env.PATH, DATABASE_URL: host.url('holdfast') },
        });
      for (const id of [erased, other])
        await host.query(
          'holdfast',
          `INSERT INTO issuance.subject (id, org, app, version, created_at)
           VALUES ($1, 'acme', 'a', 1, clock_timestamp())`,
          [id],
        );
    });
    afterAll(() => host.remove());

    it('are created by its commands while the database is in use', async () => {
      await host.shell(block('pg_dump'), 'holdfast');
      await host.shell(block('pg_basebackup'), 'holdfast');
      before = (await host.query<{ now: string }>('holdfast', 'SELECT clock_timestamp()::text AS now'))[0]!.now;
      await host.query('holdfast', 'DELETE FROM issuance.subject WHERE id = $1', [erased]);
      await host.query('holdfast', 'INSERT INTO issuance.erased (hash) VALUES ($1)', [customerKey('acme', erased)]);
      // The ledger is copied repeatedly.
      for (let time = 0; time < 2; time += 1) await host.shell(block('holdfast backup erasure-ledger'), 'holdfast');
      await host.query('holdfast', 'SELECT pg_switch_wal()');
      expect(
        readdirSync(host.backups)
          .map((name) => name.replace(/-.*/, ''))
          .sort(),
      ).toEqual(['base', 'checkpoints', 'dump', 'erased.csv', 'wal']);
      expect(readdirSync(host.backupOf('base')).sort()).toEqual(
        expect.arrayContaining(['base.tar.gz', 'pg_wal.tar.gz']),
      );
      await eventually(() => expect(readdirSync(join(host.backups, 'wal')).length).toBeGreaterThan(1));
    });

    it('restore a dump into an empty database, and erase customers again that were erased since', async () => {
      await host.query('postgres', 'CREATE DATABASE restored');
      for (const statement of databaseSetup({
        passwords: Object.fromEntries(databaseServices.map((service) => [service, 'x'])),
      }))
        await host.query('restored', statement);
      await host.shell(block('pg_restore').replace(/\$BACKUP_DIR\/dump-\w+/, host.backupOf('dump')), 'restored');
      expect(await customers('restored')).toEqual([erased, other]);
      await eraseAgain('restored');
      expect(await customers('restored')).toEqual([other]);
      // The steps may be repeated, as after an interrupted restore.
      await eraseAgain('restored');
      expect(await customers('restored')).toEqual([other]);
    });

    it('restore the state before an erasure, and erase again', async () => {
      await host.stop();
      const variables = { BASE_BACKUP: host.backupOf('base'), PGDATA: join(host.folder, 'restored') };
      await host.shell(block('tar -xzf'), 'holdfast', variables);
      host.configure('restored', block('restore_command', ''));
      host.configure('restored', block('recovery_target_time', '').replace('2026-11-22 10:15:00+00', before));
      // A file that cannot be read must not pass for the end of the log.
      const files = readdirSync(join(host.backups, 'wal')).map((name) => join(host.backups, 'wal', name));
      for (const file of files) chmodSync(file, 0);
      await expect(host.start('restored')).rejects.toThrow('did not start');
      for (const file of files) chmodSync(file, 0o600);
      await host.start('restored');
      expect(await customers('holdfast')).toEqual([erased, other]);
      await eraseAgain('holdfast');
      expect(await customers('holdfast')).toEqual([other]);
    });
  },
);
