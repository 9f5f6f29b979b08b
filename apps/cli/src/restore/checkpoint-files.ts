import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCheckpointLines } from '@holdfast/tlog';

/** Audit and `restore --checkpoints` read the newest checkpoints of logs in files of this suffix. */
export const newestSuffix = '.newest.ndjson';

export type CheckpointLine = [org: string, note: string];

/** The file appears as a whole, or stays as it was. It is on the disk when this resolves. */
export async function writeWhole(folder: string, name: string, lines: CheckpointLine[]): Promise<void> {
  const draft = join(folder, `${name}.new`);
  await synced(draft, 'w', formatCheckpointLines(lines));
  await rename(draft, join(folder, name));
  await synced(folder, 'r');
}

async function synced(path: string, flags: 'w' | 'r', text?: string): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
