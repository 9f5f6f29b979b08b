import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCheckpointLines } from '@holdfast/tlog';
import { CommandError } from '../command-error.js';
import { newestSuffix, writeWhole, type CheckpointLine } from './checkpoint-files.js';

/**
 * Moves the checkpoints of logs from what audit reads in CHECKPOINT_DIR to a file `replaced-<time>.ndjson` beside it:
 * they are the evidence of what was signed. It may be repeated.
 * @throws CommandError when a file cannot be read or written
 */
export async function setAside(folder: string, orgs: ReadonlySet<string>, now: Date): Promise<void> {
  try {
    const files = await filesOf(folder, orgs);
    const replaced = files.flatMap(({ lines }) => lines.filter(([org]) => orgs.has(org)));
    if (replaced.length === 0) return;
    // First, so that nothing is lost when this ends in between.
    await writeWhole(folder, `replaced-${now.toISOString().replaceAll(':', '')}.ndjson`, replaced);
    for (const { name, lines } of files) {
      const others = lines.filter(([org]) => !orgs.has(org));
      if (others.length < lines.length) await writeWhole(folder, name, others);
    }
  } catch (error) {
    throw new CommandError(`The checkpoints in ${folder} cannot be set aside: ${(error as Error).message}`);
  }
}

async function filesOf(
  folder: string,
  orgs: ReadonlySet<string>,
): Promise<{ name: string; lines: CheckpointLine[] }[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const earlier = entries.find((entry) => entry.isDirectory() && orgs.has(decodeURIComponent(entry.name)));
  if (earlier) throw new Error(`${earlier.name} is of a build before ADR 0057; move it to another place`);
  const names = entries.map(({ name }) => name).filter((name) => name.endsWith(newestSuffix));
  return Promise.all(
    names.map(async (name) => ({ name, lines: parseCheckpointLines(await readFile(join(folder, name), 'utf8')) })),
  );
}
