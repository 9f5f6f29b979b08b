import type { Command } from 'commander';
import type pg from 'pg';
import type { AuditRecord } from '@holdfast/contracts';
import { collect } from '../add-command.js';
import { addPendingRecords, ownerRecord } from '../audit/pending-records.js';
import { CommandError } from '../command-error.js';
import { ownerConnectionOf } from '../config.js';
import { asDatabaseOwner, asOwner } from '../database-owner.js';
import { show, table } from '../output.js';
import { connectedServices } from '../restore/connected-services.js';
import { entriesOf, rolledBackLogs, signedSizes, type RolledBackLog } from '../restore/rolled-back-logs.js';
import { setAside } from '../restore/set-aside.js';
import { owned, ownerOf, type Owner } from './log-owner.js';

interface SignAgainOptions extends Owner {
  checkpoints: string[];
  dryRun?: boolean;
}

/** Adds to the command `audit`, so auditCommands must run first. */
export function signAgainCommand(program: Command): void {
  const audit = program.commands.find((command) => command.name() === 'audit')!;

  owned(
    audit,
    'sign-again',
    'let audit sign logs again that have lost signed entries, such as by a restore. Their checkpoints are set aside ' +
      `as evidence, and each log records what it lost. While audit is stopped; ${asDatabaseOwner}`,
    [
      'audit sign-again --all --checkpoints /checkpoints/0 --checkpoints /backup/checkpoints --dry-run',
      'audit sign-again --org acme --checkpoints /var/lib/holdfast/checkpoints',
    ],
  )
    .requiredOption(
      '--checkpoints <folder>',
      'CHECKPOINT_DIR of a replica of audit, or the folder of "backup checkpoints"; name each of them',
      collect,
    )
    .option('--dry-run', 'change nothing, and print which logs have lost how much', false)
    .action((options: SignAgainOptions) => signAgain(options));
}

async function signAgain({ checkpoints, dryRun = false, json, ...options }: SignAgainOptions): Promise<void> {
  const { org } = ownerOf(options);
  await asOwner(ownerConnectionOf('audit'), 'Setting checkpoints aside', async (client) => {
    const logs =
      org === undefined ? await rolledBackLogs(client, checkpoints) : [await logOf(client, org, checkpoints)];
    if (!dryRun && logs.length > 0) {
      await mustBeStopped(client);
      await forgetSigned(client, logs);
      const orgs = new Set(logs.map((log) => log.org));
      const now = new Date();
      for (const folder of checkpoints) await setAside(folder, orgs, now);
    }
    show({ dryRun, logs }, json, () => describe(dryRun, logs));
  });
}

/** A log that was named need not be shorter: it may have grown since, on another history. */
async function logOf(client: pg.Client, org: string, folders: readonly string[]): Promise<RolledBackLog> {
  const signed = (await signedSizes(folders)).get(org);
  if (signed === undefined) throw new CommandError(`No checkpoint of ${org} is in ${folders.join(', ')}.`);
  return { org, signed, entries: (await entriesOf(client)).get(org) ?? 0 };
}

/** A replica that runs has the checkpoints in memory, and writes others meanwhile. */
async function mustBeStopped(client: pg.Client): Promise<void> {
  if ((await connectedServices(client)).includes('holdfast audit'))
    throw new CommandError('Audit is connected to the database. Nothing was changed. Stop all its replicas first.');
}

/** The reset and the records commit together. */
async function forgetSigned(client: pg.Client, logs: readonly RolledBackLog[]): Promise<void> {
  await client.query('BEGIN');
  await client.query("UPDATE audit.checkpoint SET size = 0, note = '' WHERE org = ANY ($1)", [
    logs.map(({ org }) => org),
  ]);
  // An organization that was lost altogether has no log to record it in.
  const found = logs.filter(({ entries }) => entries > 0);
  await addPendingRecords(
    client,
    found.map((log) => ({ org: log.org, record: recordOf(log) })),
  );
  await client.query('COMMIT');
}

function recordOf({ org, entries, signed }: RolledBackLog): AuditRecord {
  return ownerRecord('audit sign-again', org, 'audit.sign_again', { entries: { from: signed, to: entries } });
}

function describe(dryRun: boolean, logs: readonly RolledBackLog[]): string {
  if (logs.length === 0) return 'No log is shorter than its checkpoints. Nothing was changed.';
  return [
    table(
      ['ORGANIZATION', 'SIGNED ENTRIES', 'ENTRIES NOW'],
      logs.map(({ org, signed, entries }) => [org, String(signed), String(entries)]),
    ),
    dryRun
      ? 'Nothing was changed.'
      : 'Their checkpoints are in replaced-….ndjson, beside the files of audit. Before you start audit, give it a ' +
        'new key without the old one: docs/runbook.md, "When an audit log is broken".',
  ].join('\n');
}
