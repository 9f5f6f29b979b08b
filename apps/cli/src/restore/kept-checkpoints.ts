import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { parseCheckpointLines, readCheckpoint } from '@holdfast/tlog';
import { CommandError } from '../command-error.js';
import { newestSuffix, writeWhole } from './checkpoint-files.js';
import type { RolledBackLog } from './rolled-back-logs.js';

const fileName = `backup${newestSuffix}`;

export interface KeptCheckpoints {
  logs: number;
  /** Logs whose checkpoint in the database is older than the kept one, which stays. */
  rolledBack: RolledBackLog[];
}

/**
 * Writes the newest checkpoint of each log to a file of a folder. A kept one is never replaced by one of fewer entries,
 * and one of a log that the database no longer has stays. The file appears as a whole, or stays as it was.
 * @throws CommandError when the folder cannot be read or written
 */
export async function keepCheckpoints(client: pg.Client, folder: string): Promise<KeptCheckpoints> {
  const { rows } = await client.query<{ org: string; note: string }>('SELECT org, note FROM audit.checkpoint');
  const file = join(folder, fileName);
  const kept = await readKept(file);
  const rolledBack: RolledBackLog[] = [];
  for (const { org, note } of rows) {
    const [signed, entries] = [sizeOf(kept.get(org)), readCheckpoint(note).size];
    if (entries < signed) rolledBack.push({ org, entries, signed });
    else kept.set(org, note);
  }
  try {
    await mkdir(folder, { recursive: true });
    await writeWhole(
      folder,
      fileName,
      [...kept].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  } catch (error) {
    throw new CommandError(`The checkpoints cannot be written: ${(error as Error).message}`);
  }
  return { logs: kept.size, rolledBack };
}

async function readKept(file: string): Promise<Map<string, string>> {
  try {
    return new Map(parseCheckpointLines(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map();
    throw new CommandError(
      `The kept checkpoints cannot be read, so nothing was written: ${(error as Error).message}. Move ${file} to ` +
        'another place, keep it, and run the command again.',
    );
  }
}

function sizeOf(note: string | undefined): number {
  return note === undefined ? 0 : readCheckpoint(note).size;
}
