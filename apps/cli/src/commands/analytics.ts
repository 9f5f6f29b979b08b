import type { Command } from 'commander';
import type pg from 'pg';
import type { AuditRecord } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { addPendingRecords, ownerRecord } from '../audit/pending-records.js';
import { CommandError } from '../command-error.js';
import { ownerConnectionOf } from '../config.js';
import { asDatabaseOwner, asOwner } from '../database-owner.js';
import { show } from '../output.js';

interface RebuildOptions extends Json {
  loseDropped?: boolean;
}

export function analyticsCommands(program: Command): void {
  const analytics = program.command('analytics').description('the numbers that audit counts from the logs');
  addCommand(
    analytics,
    'rebuild <org>',
    "delete an organization's analytics and count its whole log again, in the background; " + asDatabaseOwner,
    ['analytics rebuild acme'],
  )
    .option('--lose-dropped', 'rebuild although entries were dropped from the log: what they counted as is then lost')
    .action((org: string, { json, loseDropped = false }: RebuildOptions) =>
      asOwner(ownerConnectionOf('audit'), 'Rebuilding the analytics', async (client) => {
        const entries = await rebuild(client, org, loseDropped);
        show({ org, entries }, json, () => `${entries} entries are counted again; asOf in a response says how far.`);
      }),
    );
}

/** @returns the number of entries to count */
async function rebuild(client: pg.Client, org: string, loseDropped: boolean): Promise<number> {
  await client.query('BEGIN');
  try {
    // Waits for a replica that is counting a batch. From the commit on it counts from the beginning.
    const { rows } = await client.query<{ entries: number }>(
      `SELECT h.seq::float8 AS entries FROM audit.analytics_cursor c JOIN audit.head h USING (org)
        WHERE c.org = $1 FOR UPDATE OF c`,
      [org],
    );
    if (!rows[0]) throw new CommandError(`No log of ${org} was counted here. Nothing was changed.`);
    if (!loseDropped) await requireNoDrop(client, org);
    for (const table of ['count', 'sketch', 'credential'])
      await client.query(`DELETE FROM audit.analytics_${table} WHERE org = $1`, [org]);
    await client.query('UPDATE audit.analytics_cursor SET seq = 0, latest = NULL WHERE org = $1', [org]);
    await addPendingRecords(client, [{ org, record: recordOf(org, rows[0].entries) }]);
    await client.query('COMMIT');
    return rows[0].entries;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function recordOf(org: string, entries: number): AuditRecord {
  return ownerRecord('analytics rebuild', org, 'analytics.rebuild', { entries: { to: entries } });
}

async function requireNoDrop(client: pg.Client, org: string): Promise<void> {
  const { rows } = await client.query(
    "SELECT FROM audit.entry WHERE org = $1 AND class = 'kept' AND action = 'audit.drop' LIMIT 1",
    [org],
  );
  if (rows.length > 0)
    throw new CommandError(
      `Entries were dropped from the log of ${org}, and only its analytics still contain what they counted as. ` +
        'Nothing was changed. With --lose-dropped the remaining log is counted again, and those numbers are lost.',
    );
}
