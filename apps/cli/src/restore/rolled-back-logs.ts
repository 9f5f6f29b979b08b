import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { readCheckpoint } from '@holdfast/tlog';
import { CommandError } from '../command-error.js';

/** An audit log whose database ends before a checkpoint that was kept elsewhere. */
export interface RolledBackLog {
  org: string;
  /** Entries of the database. */
  entries: number;
  /** Entries of the newest kept checkpoint. */
  signed: number;
}

/**
 * Compares the logs with the newest checkpoint of each in a copy of CHECKPOINT_DIR. Audit proves the rest when it
 * starts: that a log of sufficient length continues its checkpoint.
 * @throws CommandError when a checkpoint cannot be read
 */
export async function rolledBackLogs(client: pg.Client, folder: string): Promise<RolledBackLog[]> {
  const { rows } = await client.query<{ org: string; seq: string }>('SELECT org, seq::text FROM audit.head');
  const entries = new Map(rows.map(({ org, seq }) => [org, Number(seq)]));
  const found: RolledBackLog[] = [];
  for (const org of await logsIn(folder)) {
    const signed = await signedSize(join(folder, org, 'latest'));
    if (signed > (entries.get(org) ?? 0)) found.push({ org, entries: entries.get(org) ?? 0, signed });
  }
  return found;
}

async function logsIn(folder: string): Promise<string[]> {
  try {
    const found = await readdir(folder, { withFileTypes: true });
    return found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    throw new CommandError(`The folder of checkpoints cannot be read: ${(error as Error).message}`);
  }
}

async function signedSize(file: string): Promise<number> {
  try {
    return readCheckpoint(await readFile(file, 'utf8')).size;
  } catch (error) {
    throw new CommandError(`${file} is no checkpoint: ${(error as Error).message}`);
  }
}
