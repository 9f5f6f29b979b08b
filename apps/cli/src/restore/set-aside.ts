import { open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCheckpointLines, parseCheckpointLines, readCheckpoint } from '@holdfast/tlog';
import { CommandError } from '../command-error.js';

const suffix = '.newest.ndjson';

/** A log, and the entries that the newest of its checkpoints had signed. */
export type SetAside = ReadonlyMap<string, number>;

/**
 * Moves the checkpoints of logs from what audit reads in a copy of CHECKPOINT_DIR to a file `replaced-<time>.ndjson`
 * beside it: they are the evidence of what was signed. It may be repeated, and each file is whole or as it was.
 * @returns the logs that had checkpoints there
 * @throws CommandError when a file cannot be read or written
 */
export async function setAside(folder: string, isChosen: (org: string) => boolean, now: Date): Promise<SetAside> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const earlier = entries.find((entry) => entry.isDirectory() && isChosen(decodeURIComponent(entry.name)));
    if (earlier) throw new Error(`${earlier.name} is of a build before ADR 0057; move it to another place`);
    const lines = await linesOf(
      folder,
      entries.map(({ name }) => name),
    );
    const chosen = lines.flatMap(({ notes }) => notes.filter(([org]) => isChosen(org)));
    const found = new Map<string, number>();
    for (const [org, note] of chosen) found.set(org, Math.max(found.get(org) ?? 0, readCheckpoint(note).size));
    if (found.size === 0) return found;
    // First, so that nothing is lost when this ends in between.
    await writeWhole(folder, `replaced-${now.toISOString().replaceAll(':', '')}.ndjson`, chosen);
    for (const { name, notes } of lines)
      if (notes.some(([org]) => found.has(org)))
        await writeWhole(
          folder,
          name,
          notes.filter(([org]) => !found.has(org)),
        );
    return found;
  } catch (error) {
    throw new CommandError(`The checkpoints in ${folder} cannot be set aside: ${(error as Error).message}`);
  }
}

async function linesOf(
  folder: string,
  names: readonly string[],
): Promise<{ name: string; notes: [org: string, note: string][] }[]> {
  const files = names.filter((name) => name.endsWith(suffix));
  return Promise.all(
    files.map(async (name) => ({ name, notes: parseCheckpointLines(await readFile(join(folder, name), 'utf8')) })),
  );
}

/** Writes a file as a whole, with what it contains on the disk when this resolves. */
export async function writeWhole(folder: string, name: string, notes: [org: string, note: string][]): Promise<void> {
  const draft = join(folder, `${name}.new`);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(formatCheckpointLines(notes));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, join(folder, name));
}
