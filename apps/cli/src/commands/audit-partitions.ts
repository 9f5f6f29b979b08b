import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type pg from 'pg';
import { retentionNames, retentions, type AuditRecord, type Retention } from '@holdfast/contracts';
import type { Dropped } from '@holdfast/log-verifier';
import { addCommand, type Json } from '../add-command.js';
import { addPendingRecords, ownerRecord } from '../audit/pending-records.js';
import { CommandError } from '../command-error.js';
import { ownerConnectionOf } from '../config.js';
import { asDatabaseOwner, asOwner } from '../database-owner.js';
import { show, table } from '../output.js';

interface Partition {
  class: Retention;
  month: string;
  bytes: number;
}

interface DroppedEntries {
  org: string;
  entries: number;
  first: number;
  last: number;
  /** SHA-256 of the sequence numbers, see droppedSchema. */
  leaves: Buffer;
}

/** SQLSTATE object_not_in_prerequisite_state of drop_partitions. */
const notCounted = '55000';
/** A running audit service appends the records of a drop within this time. */
const appendTimeoutMs = 10_000;
/** A running audit service counts every entry for analytics within this time, unless it has many to count. */
const countTimeoutMs = 20_000;

/** Adds to the command `audit`, so auditCommands must run first. */
export function auditPartitionCommands(program: Command): void {
  const audit = program.commands.find((command) => command.name() === 'audit')!;

  addCommand(audit, 'partitions', `list the partitions of the logs by retention class and month, ${asDatabaseOwner}`, [
    'audit partitions',
  ]).action(({ json }: Json) =>
    asOwner(ownerConnectionOf('audit'), 'Listing the partitions', async (client) => {
      const { rows } = await client.query<Partition>(
        'SELECT class, month, bytes::float8 AS bytes FROM audit.partitions ORDER BY month DESC, class',
      );
      const now = await timeOf(client);
      const listed = rows.map((p) => ({ ...p, droppable: isDroppable(p, retentions[p.class].months, now) }));
      show(listed, json, () =>
        table(
          ['MONTH', 'CLASS', 'KILOBYTES', 'MAY BE DROPPED'],
          listed.map((p) => [p.month, p.class, String(Math.round(p.bytes / 1024)), p.droppable ? 'yes' : 'no']),
        ),
      );
    }),
  );

  addCommand(
    audit,
    'drop',
    'drop a month of entries whose retention has ended. Their hashes stay, so that the rest still verifies, and ' +
      'each log records the drop',
    ['audit drop --class reads --month 2025-09', 'audit drop --class reads --month 2026-03 --keep 6'],
  )
    .requiredOption('--class <class>', `one of ${retentionNames.join(', ')}`)
    .requiredOption('--month <month>', 'such as 2025-09')
    .option(
      '--keep <months>',
      'months to keep entries of this class (default: its retention in docs/reference/actions.md)',
      Number,
    )
    .action((options: Json & { class: string; month: string; keep?: number }) => drop(options));
}

async function drop({
  class: className,
  month,
  keep,
  json,
}: Json & { class: string; month: string; keep?: number }): Promise<void> {
  const name = retentionNames.find((retention) => retention === className);
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (!name)
    throw new CommandError(`There is no retention class ${className}. There are: ${retentionNames.join(', ')}.`);
  if (year === undefined || number === undefined)
    throw new CommandError(`${month} is not a month. Write it as 2025-09.`);
  if (keep !== undefined && !(Number.isInteger(keep) && keep >= 0))
    throw new CommandError('--keep must be a whole number of months.');
  const months = retentions[name].months === undefined ? undefined : (keep ?? retentions[name].months);
  if (months === undefined)
    throw new CommandError(
      `Entries of the class ${name} are never dropped: they account for what was erased or dropped.`,
    );
  await asOwner(ownerConnectionOf('audit'), 'Dropping entries', async (client) => {
    if (!isDroppable({ month }, months, await timeOf(client)))
      throw new CommandError(
        `Entries of the class ${name} are kept for ${months} months; those of ${month} may not be dropped yet. ` +
          'Nothing was dropped.',
      );
    const records = await whenCounted(() =>
      inTransaction(client, async () => {
        const { rows } = await client.query<DroppedEntries>(
          `SELECT org, entries::int AS entries, first::float8 AS first, last::float8 AS last, leaves
           FROM audit.drop_partitions($1, $2)`,
          [name, Number(year) * 12 + Number(number) - 1],
        );
        const drops = rows.map((dropped) => ({ ...dropped, record: recordOf(name, month, dropped) }));
        // Drop and records commit together.
        await addPendingRecords(client, drops);
        return drops;
      }),
    );
    const appended = await untilAppended(
      client,
      records.map(({ record }) => record.id),
    );
    const dropped = records.map(({ org, entries }) => ({ org, entries }));
    show({ dropped, recorded: appended }, json, () => describeDrop(dropped, appended));
  });
}

/** The database's time: a drop by the wrong clock of this machine could not be undone. */
async function timeOf(client: pg.Client): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('SELECT now()');
  return rows[0]!.now;
}

/** The month ended at least `months` months ago. The current month, in which the logs grow, is never droppable. */
function isDroppable({ month }: Pick<Partition, 'month'>, months: number | undefined, now: Date): boolean {
  if (months === undefined) return false;
  const [year = 0, number = 0] = month.split('-').map(Number);
  return year * 12 + number - 1 + Math.max(months, 1) <= now.getUTCFullYear() * 12 + now.getUTCMonth();
}

function recordOf(name: Retention, month: string, { org, entries, first, last, leaves }: DroppedEntries): AuditRecord {
  const changes: Dropped = {
    retention: { to: name },
    month: { to: month },
    entries: { to: entries },
    places: { to: { first, last, sha256: leaves.toString('base64') } },
  };
  return ownerRecord('audit drop', org, 'audit.drop', changes);
}

/** Repeats it until analytics have counted the entries, which must not be dropped before. */
async function whenCounted<T>(drop: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + countTimeoutMs; ;)
    try {
      return await drop();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code !== notCounted) throw error;
      if (Date.now() > until)
        throw new CommandError(
          `Nothing was dropped: ${message}. Numbers of dropped entries would be missing for ever. Try again when ` +
            'audit has counted them; see "HoldfastAnalyticsStalled" in the runbook.',
        );
      await sleep(500);
    }
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN; SET LOCAL lock_timeout = '5s'");
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if ((error as { code?: string }).code === '55P03')
      throw new CommandError(
        'The log is being read or written and could not be locked within 5 s. Nothing was dropped. Try again.',
      );
    throw error;
  }
}

async function untilAppended(client: pg.Client, ids: string[]): Promise<boolean> {
  for (const until = Date.now() + appendTimeoutMs; Date.now() < until;) {
    const { rows } = await client.query('SELECT FROM audit.pending_record WHERE id = ANY ($1) LIMIT 1', [ids]);
    if (rows.length === 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

function describeDrop(dropped: Pick<DroppedEntries, 'org' | 'entries'>[], appended: boolean): string {
  if (dropped.length === 0) return 'The partition was empty. It was removed.';
  const logs = table(
    ['ORGANIZATION', 'ENTRIES DROPPED'],
    dropped.map(({ org, entries }) => [org, String(entries)]),
  );
  return appended
    ? logs
    : `${logs}\nThe records of this drop are stored, and audit appends them when it runs again. Until then the logs ` +
        'do not verify.';
}
