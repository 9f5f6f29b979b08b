import type { Command } from 'commander';
import { addCommand, collect, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { ownerConnectionOf, ownerConnections } from '../config.js';
import { asDatabaseOwner, asOwner } from '../database-owner.js';
import { show, table } from '../output.js';
import { deleteOrganizationsAgain, type DeletedAgain } from '../restore/delete-organizations-again.js';
import { eraseAgain, type ErasedAgain } from '../restore/erase-again.js';
import { erasingServices, exportLedger, ledgerOf, readLedger } from '../restore/erasure-ledger.js';
import { keepCheckpoints } from '../restore/kept-checkpoints.js';
import { rolledBackLogs, type RolledBackLog } from '../restore/rolled-back-logs.js';

interface RestoreOptions extends Json {
  ledger: string;
  checkpoints?: string[];
  dryRun?: boolean;
}

interface Restored extends ErasedAgain {
  /** Whether it was changed, or only counted. */
  dryRun: boolean;
  organizations: DeletedAgain[];
  rolledBack: RolledBackLog[];
}

export function backupCommands(program: Command): void {
  const backup = program.command('backup').description('what a backup of the database needs besides');

  addCommand(
    backup,
    'erasure-ledger <file>',
    'write the hashes of everybody who was erased, for a restore; every five minutes, to another machine; ' +
      asDatabaseOwner,
    ['backup erasure-ledger /backup/erased.csv'],
  ).action(async (file: string, { json }: Json) => {
    const ledgers = await Promise.all(
      erasingServices.map((service) =>
        asOwner(ownerConnectionOf(service), 'Reading the erasure ledger', (client) => ledgerOf(client, service)),
      ),
    );
    const lines = await exportLedger(ledgers.flat(), file);
    show({ lines }, json, () => `${lines} erasures are in ${file}.`);
  });

  addCommand(
    backup,
    'checkpoints <folder>',
    'write the newest checkpoint of each audit log, for a restore and as evidence; never an older one over a newer; ' +
      asDatabaseOwner,
    ['backup checkpoints /backup/checkpoints'],
  ).action(async (folder: string, { json }: Json) => {
    const kept = await asOwner(ownerConnectionOf('audit'), 'Reading the checkpoints', (client) =>
      keepCheckpoints(client, folder),
    );
    show(kept, json, () => `The checkpoints of ${kept.logs} audit logs are in ${folder}.`);
    if (kept.rolledBack.length > 0)
      throw new CommandError(
        [
          ...kept.rolledBack.map((log) => `${lengthsOf(log)}: ${missingOf(log)} are missing.`),
          'The kept checkpoints stay. The database was restored, or changed: docs/runbook.md, "When an audit log is ' +
            'broken".',
        ].join('\n'),
      );
  });
}

export function restoreCommand(program: Command): void {
  addCommand(
    program,
    'restore',
    'the steps after the restore of a backup, before services start: imports the erasure ledger, erases again whom ' +
      'and deletes again which organizations the backup has brought back, and ends all sessions; may be repeated; ' +
      asDatabaseOwner,
    [
      'restore --ledger /backup/erased.csv --dry-run',
      'restore --ledger /backup/erased.csv --checkpoints /backup/checkpoints',
    ],
  )
    .requiredOption('--ledger <file>', 'the newest file of "backup erasure-ledger"')
    .option(
      '--checkpoints <folder>',
      'CHECKPOINT_DIR of a replica of audit, or its copy: names the audit logs that the backup has shortened; may be ' +
        'repeated',
      collect,
    )
    .option('--dry-run', 'change nothing, and print what would be changed', false)
    .action(async ({ json, ledger, checkpoints, dryRun = false }: RestoreOptions) => {
      const erased = await readLedger(ledger);
      const rolledBack =
        checkpoints === undefined
          ? []
          : await asOwner(ownerConnectionOf('audit'), 'Comparing the checkpoints', (client) =>
              rolledBackLogs(client, checkpoints),
            );
      const { alreadyErased, ...again } = await eraseAgain(ownerConnections(), erased, dryRun);
      const organizations = await deleteOrganizationsAgain(erased, dryRun);
      const deletedAgain = new Set(organizations.map(({ org }) => org)).size;
      const restored: Restored = {
        dryRun,
        ...again,
        alreadyErased: alreadyErased - deletedAgain,
        organizations,
        rolledBack,
      };
      // Their logs are no longer needed.
      restored.rolledBack = rolledBack.filter((log) => !restored.organizations.some(({ org }) => org === log.org));
      show(restored, json, () => describe(restored));
    });
}

function describe({ dryRun, erasedAgain, alreadyErased, steps, organizations, rolledBack }: Restored): string {
  const changed = steps.filter(({ rows }) => rows > 0).map(({ what, rows }) => [what, String(rows)]);
  return [
    `Erased after the backup: ${erasedAgain} customers and people, who ${dryRun ? 'would be' : 'are'} erased again. ` +
      `Erased already, or never in the backup: ${alreadyErased} other entries of the ledger.`,
    table([dryRun ? 'WOULD CHANGE' : 'CHANGED', 'ROWS'], changed),
    ...organizations.map(
      ({ org, rows }) =>
        `${org} was deleted after the backup: ${rows} rows of it ${dryRun ? 'would be' : 'are'} deleted again.`,
    ),
    ...rolledBack.map(
      (log) =>
        `${lengthsOf(log)}: the backup lacks ${missingOf(log)}. Audit signs nothing there until you have decided ` +
        '(docs/runbook.md, "When an audit log is broken").',
    ),
    dryRun ? 'Nothing was changed.' : 'Declare the streams (holdfast bus declare), then start the services.',
  ].join('\n');
}

function lengthsOf({ org, entries, signed }: RolledBackLog): string {
  return `The audit log of ${org} has ${entries} entries, and a checkpoint has signed ${signed}`;
}

function missingOf({ entries, signed }: RolledBackLog): number {
  return signed - entries;
}
