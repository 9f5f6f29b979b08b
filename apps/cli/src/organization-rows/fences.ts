import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { FenceLevel, ServiceName } from '@holdfast/contracts';
import { CommandError } from '../command-error.js';
import { organizationTables } from './organization-tables.js';

/**
 * A transaction of a paused process keeps its lock until PostgreSQL ends it after three seconds. Others must not wait
 * behind this one for so long.
 */
const lockTimeoutMs = 500;
const maxAttempts = 60;
const lockNotAvailable = '55P03';

/**
 * Refuses the organization in the tables of a service. `everything` and `deleted` hold for every process, whatever it
 * knows: each table has triggers, whose creation waits for the transactions that write to it.
 */
export async function fence(
  client: pg.ClientBase,
  service: ServiceName,
  org: string,
  refuses: FenceLevel,
): Promise<void> {
  await client.query(
    `INSERT INTO ${service}.organization_fence (org, refuses) VALUES ($1, $2)
     ON CONFLICT (org) DO UPDATE SET refuses = excluded.refuses, since = excluded.since`,
    [org, refuses],
  );
  await createTriggers(client, service);
}

export async function removeFence(client: pg.ClientBase, service: ServiceName, org: string): Promise<void> {
  await client.query(`DELETE FROM ${service}.organization_fence WHERE org = $1`, [org]);
  await createTriggers(client, service);
}

export async function fenceOf(
  client: pg.ClientBase,
  service: ServiceName,
  org: string,
): Promise<FenceLevel | undefined> {
  const { rows } = await client.query<{ refuses: FenceLevel }>(
    `SELECT refuses FROM ${service}.organization_fence WHERE org = $1`,
    [org],
  );
  return rows[0]?.refuses;
}

/** The organizations are constants of the triggers' conditions: rows of others cost a comparison, and no look-up. */
async function createTriggers(client: pg.ClientBase, service: ServiceName): Promise<void> {
  const { moved } = await organizationTables(client, service);
  for (const { name } of moved.filter(({ hasOrg }) => hasOrg))
    await withoutWaiting(client, async () => {
      const { rows } = await client.query<{ fenced: string }>(
        `SELECT quote_literal(coalesce(array_agg(org ORDER BY org), '{}')) AS fenced FROM ${service}.organization_fence
         WHERE refuses <> 'requests'`,
      );
      const isFenced = (row: string) => `${row}.org = ANY (${rows[0]!.fenced}::text[])`;
      for (const [event, condition] of [
        ['INSERT', isFenced('NEW')],
        ['UPDATE', `${isFenced('OLD')} OR ${isFenced('NEW')}`],
        ['DELETE', isFenced('OLD')],
      ])
        await client.query(
          `CREATE OR REPLACE TRIGGER organization_fence_${event!.toLowerCase()} BEFORE ${event} ON ${name}
           FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION ${service}.refuse_fenced_organization()`,
        );
    });
}

async function withoutWaiting(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      await work();
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      if ((error as { code?: string }).code !== lockNotAvailable) throw error;
      if (attempt >= maxAttempts)
        throw new CommandError('A table is locked by a transaction that does not end (pg_stat_activity).');
      await sleep(lockTimeoutMs);
    }
  }
}
