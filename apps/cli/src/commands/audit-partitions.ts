import type { Command } from 'commander';
import type pg from 'pg';
import { retentionNames, retentions, type AuditRecord, type Dropped, type Retention } from '@holdfast/contracts';
import { auditRecord, newId } from '@holdfast/platform';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { ownerConfig } from '../config.js';
import { asOwner } from '../database-owner.js';
import { operatorContext } from '../operator-session.js';
import { show, table } from '../output.js';

interface Partition {
  class: Retention;
  month: string;
  bytes: number;
}

interface Gone {
  org: string;
  entries: number;
  first: number;
  last: number;
  /** SHA-256 over the places, see droppedSchema. */
  places: Buffer;
}

/** Time in which audit, when it runs, gives the records of a drop their places, in ms. */
const patience = 10_000;

/** To be added after auditCommands, whose noun these belong to. */
export function auditPartitionCommands(program: Command): void {
  const audit = program.commands.find((command) => command.name() === 'audit')!;

  addCommand(
    audit,
    'partitions',
    'list the partitions of the logs by class of retention and month, as the owner named by DATABASE_URL',
    ['audit partitions'],
  ).action(({ json }: Json) =>
    asOwner(ownerConfig().url, 'Listing the partitions', async (client) => {
      const { rows } = await client.query<Partition>(
        'SELECT class, month, bytes::float8 AS bytes FROM audit.partitions ORDER BY month DESC, class',
      );
      const now = await timeOf(client);
      const listed = rows.map((p) => ({ ...p, droppable: isOver(p, retentions[p.class].months, now) }));
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
    'drop a month of entries whose retention has ended; their hashes stay, so that the rest still verifies, and each log records it',
    ['audit drop --class reads --month 2025-09', 'audit drop --class reads --month 2026-03 --keep 6'],
  )
    .requiredOption('--class <class>', `one of ${retentionNames.join(', ')}`)
    .requiredOption('--month <month>', 'such as 2025-09')
    .option(
      '--keep <months>',
      'how many months this class is kept, when not as long as docs/reference/actions.md says',
      Number,
    )
    .action((options: Json & { class: string; month: string; keep?: number }) => drop(options));
}

async function drop({
  class: given,
  month,
  keep,
  json,
}: Json & { class: string; month: string; keep?: number }): Promise<void> {
  const name = retentionNames.find((retention) => retention === given);
  const [, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (!name) throw new CommandError(`There is no class ${given}; there are ${retentionNames.join(', ')}.`);
  if (year === undefined || number === undefined) throw new CommandError(`${month} is no month; write it as 2025-09.`);
  if (keep !== undefined && !(Number.isInteger(keep) && keep >= 0))
    throw new CommandError('--keep takes a whole number of months.');
  const months = retentions[name].months === undefined ? undefined : (keep ?? retentions[name].months);
  if (months === undefined)
    throw new CommandError(`Entries of the class ${name} are never dropped: they account for what is no longer there.`);
  await asOwner(ownerConfig().url, 'Dropping entries', async (client) => {
    if (!isOver({ month }, months, await timeOf(client)))
      throw new CommandError(
        `Entries of the class ${name} are kept for ${months} months; those of ${month} may not be dropped yet. Nothing was dropped.`,
      );
    const records = await inTransaction(client, async () => {
      const { rows } = await client.query<Gone>(
        'SELECT org, entries::int AS entries, first::float8 AS first, last::float8 AS last, places FROM audit.drop_partitions($1, $2)',
        [name, Number(year) * 12 + Number(number) - 1],
      );
      const made = rows.map((gone) => ({ ...gone, record: recordOf(name, month, gone) }));
      // Due at once: audit gives each its place in its log within a second. Drop and records commit together.
      for (const { org, record } of made)
        await client.query("INSERT INTO audit.provisional (org, id, record, due_at) VALUES ($1, $2, $3, 'epoch')", [
          org,
          record.id,
          JSON.stringify(record),
        ]);
      return made;
    });
    const placed = await untilPlaced(
      client,
      records.map(({ record }) => record.id),
    );
    const dropped = records.map(({ org, entries }) => ({ org, entries }));
    show({ dropped, recorded: placed }, json, () => words(dropped, placed));
  });
}

/** The database's: by a wrong clock of this machine, what is dropped is gone for ever. */
async function timeOf(client: pg.Client): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('SELECT now()');
  return rows[0]!.now;
}

/** Months that have ended `months` ago and more; never the one that the logs grow in. */
function isOver({ month }: Pick<Partition, 'month'>, months: number | undefined, now: Date): boolean {
  if (months === undefined) return false;
  const [year = 0, number = 0] = month.split('-').map(Number);
  return year * 12 + number - 1 + Math.max(months, 1) <= now.getUTCFullYear() * 12 + now.getUTCMonth();
}

function recordOf(name: Retention, month: string, { org, entries, first, last, places }: Gone): AuditRecord {
  const changes: Dropped = {
    retention: { to: name },
    month: { to: month },
    entries: { to: entries },
    places: { to: { first, last, sha256: places.toString('base64') } },
  };
  const context = { ...operatorContext('audit drop', org), auditId: newId() };
  return auditRecord(context, new Date(), {
    action: 'audit.drop',
    targets: [{ type: 'organization', id: org }],
    outcome: { result: 'success' },
    changes,
  });
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
        'The log is being read or written and could not be held for a moment. Nothing was dropped; try again.',
      );
    throw error;
  }
}

async function untilPlaced(client: pg.Client, ids: string[]): Promise<boolean> {
  for (const until = Date.now() + patience; Date.now() < until;) {
    const { rows } = await client.query('SELECT FROM audit.provisional WHERE id = ANY ($1) LIMIT 1', [ids]);
    if (rows.length === 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

function words(dropped: Pick<Gone, 'org' | 'entries'>[], placed: boolean): string {
  if (dropped.length === 0) return 'The partition was empty; it is gone.';
  const logs = table(
    ['ORGANIZATION', 'ENTRIES DROPPED'],
    dropped.map(({ org, entries }) => [org, String(entries)]),
  );
  return placed
    ? logs
    : `${logs}\nThe records of this are kept and will stand in the logs when audit runs again; until then the logs do not verify.`;
}
