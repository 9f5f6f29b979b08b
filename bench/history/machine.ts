import { createHash } from 'node:crypto';
import { cpus, totalmem } from 'node:os';
import type { Pool } from 'pg';
import { connectAs } from '../log-load.ts';
import type { Stack } from '../stack.ts';
import type { SavedResult } from './schema.ts';

type Machine = SavedResult['machine'];

/** This machine, without names of hosts or people. */
export function thisMachine(): Machine {
  const description = {
    cpu: cpus()[0]?.model.trim() || 'unknown',
    cores: cpus().length,
    memoryGb: Math.max(1, Math.round(totalmem() / 2 ** 30)),
  };
  return { id: machineId(description), ...description };
}

export function machineId({ cpu, cores, memoryGb }: Omit<Machine, 'id'>): string {
  return createHash('sha256')
    .update(JSON.stringify([cpu, cores, memoryGb]))
    .digest('hex')
    .slice(0, 8);
}

/** Versions of what the stack runs on. */
export async function versionsOf(stack: Stack, pool: Pool): Promise<SavedResult['versions']> {
  const { rows } = await pool.query<{ server_version: string }>('SHOW server_version');
  const connection = await connectAs(stack, 'gateway');
  const natsServer = connection.info?.version ?? 'unknown';
  await connection.close();
  // Distributions append their name to the version of PostgreSQL.
  return { node: process.version.slice(1), postgresql: rows[0]!.server_version.split(' ')[0]!, natsServer };
}
