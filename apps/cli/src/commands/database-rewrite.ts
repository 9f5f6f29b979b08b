import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type pg from 'pg';
import { watermarksSchema, type ServiceName } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { ownerConnectionOf, ownerConnections } from '../config.js';
import { asDatabaseOwner, asOwner } from '../database-owner.js';
import { show, table } from '../output.js';

/** Attempts to lock a table that is in use. During each attempt, other sessions wait for this one. */
const maxAttempts = 5;
const lockTimeoutMs = 2000;
/** An erasure may take a day to complete (docs/runbook.md), so the nightly run after that must consider it as well. */
const erasedWithin = '2 days';

interface Rewritten {
  table: string;
  kilobytesBefore: number;
  kilobytes: number;
  /** Time in which nobody could read or write the table. */
  lockedMs: number;
}

/** Adds to the command `database`, so databaseCommands must run first. */
export function databaseRewriteCommand(program: Command): void {
  const database = program.commands.find((command) => command.name() === 'database')!;
  addCommand(
    database,
    'rewrite',
    'rewrite tables and indexes, so that deleted data does not stay in their files; each is locked meanwhile, some ' +
      `seconds per gigabyte; ${asDatabaseOwner}`,
    ['database rewrite', 'database rewrite --if-erased'],
  )
    .option(
      '--if-erased',
      `only when a customer or person was erased within the last ${erasedWithin}: for a nightly job`,
    )
    .action(async ({ json, ifErased = false }: Json & { ifErased?: boolean }) => {
      if (ifErased && !(await erasedRecently())) {
        show([], json, () => `Nobody was erased within the last ${erasedWithin}. Nothing to do.`);
        return;
      }
      const done: Rewritten[] = [];
      for (const owner of ownerConnections())
        await asOwner(owner, 'Rewriting the tables', async (client) => {
          await assertNoOldTransaction(client);
          done.push(...(await rewriteAll(client, owner.services)));
        });
      show(done, json, () =>
        table(
          ['TABLE', 'KILOBYTES BEFORE', 'AFTER', 'LOCKED FOR MS'],
          done.map((r) => [r.table, String(r.kilobytesBefore), String(r.kilobytes), String(r.lockedMs)]),
        ),
      );
    });
}

/** Issuance records erased customers, directory removed people. */
async function erasedRecently(): Promise<boolean> {
  const inLedgers = await Promise.all(
    (['issuance', 'directory'] as const).map((service) =>
      asOwner(ownerConnectionOf(service), 'Reading the erasure ledger', async (client) => {
        const { rows } = await client.query<{ erased: boolean }>(
          `SELECT EXISTS (SELECT FROM ${service}.erased WHERE at > now() - interval '${erasedWithin}') AS erased`,
        );
        return rows[0]!.erased;
      }),
    ),
  );
  return inLedgers.includes(true);
}

/** VACUUM FULL also copies deleted rows that an open transaction may still read. */
async function assertNoOldTransaction(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ who: string }>(
    `SELECT format('session %s of %s (%s, since %s)', pid, usename, application_name, xact_start::timestamp(0)) AS who
       FROM pg_stat_activity
      WHERE datname = current_database() AND (backend_xid IS NOT NULL OR backend_xmin IS NOT NULL)
        AND xact_start < now() - interval '1 minute' AND pid <> pg_backend_pid() AND backend_type = 'client backend'
     UNION ALL SELECT format('prepared transaction %s', gid) FROM pg_prepared_xacts WHERE database = current_database()
     UNION ALL SELECT format('replication slot %s', slot_name) FROM pg_replication_slots WHERE xmin IS NOT NULL`,
  );
  if (rows.length === 0) return;
  throw new CommandError(
    `An open transaction would keep deleted data in the tables: ${rows.map((r) => r.who).join('; ')}. ` +
      'End it, then try again.',
  );
}

/** All tables but those that only grow: a trigger prevents every delete from these. */
const tables = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = ANY ($1) AND c.relkind = 'r'
    AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'append_only')
  ORDER BY pg_table_size(c.oid)`;

async function rewriteAll(client: pg.Client, services: readonly ServiceName[]): Promise<Rewritten[]> {
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`);
  await client.query("SET maintenance_work_mem = '256MB'");
  const { rows } = await client.query<{ name: string }>(tables, [[...services, watermarksSchema]]);
  const done: Rewritten[] = [];
  const left: string[] = [];
  for (const { name } of rows) {
    const rewritten = await rewrite(client, name);
    if (rewritten) done.push(rewritten);
    else left.push(name);
  }
  if (left.length === 0) return done;
  throw new CommandError(
    `${done.length} tables were rewritten. These were in use and could not be locked: ${left.join(', ')}. ` +
      'Try again at a time of low traffic.',
  );
}

/** @returns undefined when the table could not be locked */
async function rewrite(client: pg.Client, name: string): Promise<Rewritten | undefined> {
  const kilobytes = async () =>
    Math.ceil(
      Number((await client.query<{ size: string }>(`SELECT pg_total_relation_size('${name}') AS size`)).rows[0]!.size) /
        1024,
    );
  const kilobytesBefore = await kilobytes();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const startedAtMs = performance.now();
    try {
      await client.query(`VACUUM (FULL) ${name}`);
      return {
        table: name,
        kilobytesBefore,
        kilobytes: await kilobytes(),
        lockedMs: Math.round(performance.now() - startedAtMs),
      };
    } catch (error) {
      // 55P03: lock_not_available.
      if ((error as { code?: string }).code !== '55P03') throw error;
      await sleep(1000 * attempt);
    }
  }
  return undefined;
}
