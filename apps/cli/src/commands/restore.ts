import type { Command } from 'commander';
import type pg from 'pg';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { ownerConnection } from '../config.js';
import { asOwner } from '../database-owner.js';
import { show, table } from '../output.js';
import { exportLedger, importLedger, readLedger } from '../restore/erasure-ledger.js';
import { restoreSteps } from '../restore/restore-steps.js';
import { rolledBackLogs, type RolledBackLog } from '../restore/rolled-back-logs.js';

interface RestoreOptions extends Json {
  ledger: string;
  checkpoints?: string;
  dryRun?: boolean;
}

interface Restored {
  /** Whether it was changed, or only counted. */
  dryRun: boolean;
  /** Lines of the ledger that the backup did not have. */
  imported: number;
  /** Rows by what they are. */
  steps: { what: string; rows: number }[];
  rolledBack: RolledBackLog[];
}

/** An erasure may concern many rows. */
const timeoutMs = 3_600_000;

export function restoreCommands(program: Command): void {
  const backup = program.command('backup').description('what a backup of the database needs besides');

  addCommand(
    backup,
    'erasure-ledger <file>',
    'write the hashes of everybody who was erased, for a restore; as the database owner in DATABASE_URL; every five ' +
      'minutes, to another machine',
    ['backup erasure-ledger /backup/erased.csv'],
  ).action((file: string, { json }: Json) =>
    asOwner(ownerConnection(), 'Reading the erasure ledger', async (client) => {
      const lines = await exportLedger(client, file);
      show({ lines }, json, () => `${lines} erasures are in ${file}.`);
    }),
  );

  addCommand(
    program,
    'restore',
    'the steps after the restore of a backup, before services start: imports the erasure ledger, erases again whom ' +
      'the backup has brought back, and ends all sessions; as the database owner in DATABASE_URL; may be repeated',
    [
      'restore --ledger /backup/erased.csv --dry-run',
      'restore --ledger /backup/erased.csv --checkpoints /backup/checkpoints',
    ],
  )
    .requiredOption('--ledger <file>', 'the newest file of "backup erasure-ledger"')
    .option('--checkpoints <folder>', 'copy of CHECKPOINT_DIR: names the audit logs that the backup has shortened')
    .option('--dry-run', 'change nothing, and print what would be changed', false)
    .action(async ({ json, ledger, checkpoints, dryRun = false }: RestoreOptions) => {
      const erased = await readLedger(ledger);
      const restored = await asOwner(ownerConnection(), 'The restore', async (client): Promise<Restored> => {
        await requireNoService(client);
        const rolledBack = checkpoints === undefined ? [] : await rolledBackLogs(client, checkpoints);
        await client.query(`SET statement_timeout = ${timeoutMs}`);
        await client.query('BEGIN');
        const imported = await importLedger(client, erased);
        const steps: Restored['steps'] = [];
        for (const { what, sql } of restoreSteps) {
          const { rowCount } = await client.query(sql);
          if (what !== undefined) steps.push({ what, rows: rowCount ?? 0 });
        }
        // A service that has started meanwhile has read rows that are gone now.
        await requireNoService(client);
        await client.query(dryRun ? 'ROLLBACK' : 'COMMIT');
        return { dryRun, imported, steps, rolledBack };
      });
      show(restored, json, () => describe(restored));
    });
}

/** @throws CommandError that names the services which are connected */
async function requireNoService(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'holdfast %' AND pid <> pg_backend_pid() ORDER BY 1`,
  );
  if (rows.length === 0) return;
  throw new CommandError(
    `These services are connected: ${rows.map(({ name }) => name).join(', ')}. They would bring back what is erased: ` +
      'stop all of them, and run the command again.',
  );
}

function describe({ dryRun, imported, steps, rolledBack }: Restored): string {
  const changed = steps.filter(({ rows }) => rows > 0).map(({ what, rows }) => [what, String(rows)]);
  return [
    `${imported} erasures were missing in the backup.`,
    table([dryRun ? 'WOULD CHANGE' : 'CHANGED', 'ROWS'], changed),
    ...rolledBack.map(
      ({ org, entries, signed }) =>
        `The audit log of ${org} has ${entries} entries, and a checkpoint has signed ${signed}: the backup lacks ` +
        `${signed - entries}. Audit signs nothing there until you have decided (docs/runbook.md, "When an audit log ` +
        'is broken").',
    ),
    dryRun ? 'Nothing was changed.' : 'Declare the streams (holdfast bus declare), then start the services.',
  ].join('\n');
}
