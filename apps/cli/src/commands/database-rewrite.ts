import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type pg from 'pg';
import { databaseServices, watermarksSchema } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { ownerConfig } from '../config.js';
import { asOwner } from '../database-owner.js';
import { show, table } from '../output.js';

/** How often a table that others use is tried, and how long each time: so long at most do others wait behind us. */
const attempts = 5;
const lockTimeoutMs = 2000;
/** What an erasure leads to may take a day (docs/runbook.md), so it counts for the run after that too. */
const erasedWithin = '2 days';

interface Rewritten {
  table: string;
  kilobytesBefore: number;
  kilobytes: number;
  /** How long nobody could read or write it. */
  lockedMs: number;
}

/** To be added after databaseCommands, whose noun it belongs to. */
export function databaseRewriteCommand(program: Command): void {
  const database = program.commands.find((command) => command.name() === 'database')!;
  addCommand(
    database,
    'rewrite',
    'write tables and indexes anew, so that nothing of what was deleted stays in their files; each is locked meanwhile, some seconds a gigabyte; as the owner named by DATABASE_URL',
    ['database rewrite', 'database rewrite --if-erased'],
  )
    .option('--if-erased', `only when a customer was erased within the last ${erasedWithin}: for a job of every night`)
    .action(({ json, ifErased = false }: Json & { ifErased?: boolean }) =>
      asOwner(ownerConfig().url, 'Rewriting the tables', async (client) => {
        if (ifErased && !(await erasedLately(client))) {
          show([], json, () => `Nobody was erased within the last ${erasedWithin}: nothing to do.`);
          return;
        }
        await refuseWhileHeldBack(client);
        const done = await rewriteAll(client);
        show(done, json, () =>
          table(
            ['TABLE', 'KILOBYTES BEFORE', 'AFTER', 'LOCKED FOR MS'],
            done.map((r) => [r.table, String(r.kilobytesBefore), String(r.kilobytes), String(r.lockedMs)]),
          ),
        );
      }),
    );
}

async function erasedLately(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ erased: boolean }>(
    `SELECT EXISTS (SELECT FROM issuance.erased WHERE at > now() - interval '${erasedWithin}') AS erased`,
  );
  return rows[0]!.erased;
}

/** What an old transaction may still want to see is copied too. */
async function refuseWhileHeldBack(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ who: string }>(
    `SELECT format('session %s of %s (%s, since %s)', pid, usename, application_name, xact_start::timestamp(0)) AS who FROM pg_stat_activity
      WHERE datname = current_database() AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL) AND xact_start < now() - interval '1 minute' AND pid <> pg_backend_pid() AND backend_type = 'client backend'
     UNION ALL SELECT format('prepared transaction %s', gid) FROM pg_prepared_xacts WHERE database = current_database()
     UNION ALL SELECT format('replication slot %s', slot_name) FROM pg_replication_slots WHERE xmin IS NOT NULL`,
  );
  if (rows.length === 0) return;
  throw new CommandError(
    `What was deleted would be kept for a transaction that is still open: ${rows.map((r) => r.who).join('; ')}. End it, then try again.`,
  );
}

/** All but those that only grow: nothing is ever deleted from these, which a trigger sees to. */
const tables = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY ($1) AND c.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'only_grows')
  ORDER BY pg_table_size(c.oid)`;

async function rewriteAll(client: pg.Client): Promise<Rewritten[]> {
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  await client.query("SET maintenance_work_mem = '256MB'");
  const { rows } = await client.query<{ name: string }>(tables, [[...databaseServices, watermarksSchema]]);
  const done: Rewritten[] = [];
  const left: string[] = [];
  for (const { name } of rows) {
    const rewritten = await rewrite(client, name);
    if (rewritten) done.push(rewritten);
    else left.push(name);
  }
  if (left.length === 0) return done;
  throw new CommandError(
    `${done.length} tables were rewritten. In use all the time, so left as they are: ${left.join(', ')}. Try again in a quiet hour.`,
  );
}

/** Undefined when it could not be locked. */
async function rewrite(client: pg.Client, name: string): Promise<Rewritten | undefined> {
  const kilobytes = async () =>
    Math.ceil(
      Number((await client.query<{ size: string }>(`SELECT pg_total_relation_size('${name}') AS size`)).rows[0]!.size) /
        1024,
    );
  const kilobytesBefore = await kilobytes();
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const began = performance.now();
    try {
      await client.query(`VACUUM (FULL) ${name}`);
      return {
        table: name,
        kilobytesBefore,
        kilobytes: await kilobytes(),
        lockedMs: Math.round(performance.now() - began),
      };
    } catch (error) {
      // 55P03: lock_not_available.
      if ((error as { code?: string }).code !== '55P03') throw error;
      await sleep(1000 * attempt);
    }
  }
  return undefined;
}
