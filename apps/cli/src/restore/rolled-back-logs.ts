import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { parseCheckpointLines, readCheckpoint } from '@holdfast/tlog';
import { CommandError } from '../command-error.js';
import { hasBegunDeletion } from '../organization-rows/delete-everywhere.js';
import { newestSuffix } from './checkpoint-files.js';

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
export async function rolledBackLogs(client: pg.Client, folders: readonly string[]): Promise<RolledBackLog[]> {
  const entries = await entriesOf(client);
  const found: RolledBackLog[] = [];
  for (const [org, signed] of await signedSizes(folders))
    if (signed > (entries.get(org) ?? 0) && !(await hasBegunDeletion({ audit: client }, org)))
      found.push({ org, entries: entries.get(org) ?? 0, signed });
  return found;
}

/** The number of entries of each log. */
export async function entriesOf(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ org: string; seq: string }>('SELECT org, seq::text FROM audit.head');
  return new Map(rows.map(({ org, seq }) => [org, Number(seq)]));
}

/** The size of the newest checkpoint of each log. @throws CommandError when a checkpoint cannot be read */
export async function signedSizes(folders: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const folder of folders) await addSignedSizes(folder, sizes);
  return sizes;
}

async function addSignedSizes(folder: string, sizes: Map<string, number>): Promise<void> {
  const add = (org: string, note: string) => sizes.set(org, Math.max(sizes.get(org) ?? 0, readCheckpoint(note).size));
  for (const entry of await filesOf(folder)) {
    // The root of each ext4 volume has it.
    if (entry.name === 'lost+found') continue;
    // Audit stored a folder for each log before docs/adr/0057.
    const file = join(folder, entry.name, ...(entry.isDirectory() ? ['latest'] : []));
    try {
      if (entry.isDirectory()) add(decodeURIComponent(entry.name), await readFile(file, 'utf8'));
      else if (entry.name.endsWith(newestSuffix))
        for (const [org, note] of parseCheckpointLines(await readFile(file, 'utf8'))) add(org, note);
    } catch (error) {
      throw new CommandError(`${file} is no checkpoint: ${(error as Error).message}`);
    }
  }
}

async function filesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    throw new CommandError(`The folder of checkpoints cannot be read: ${(error as Error).message}`);
  }
}
