import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCheckpointLines, parseCheckpointLines, readCheckpoint } from '@holdfast/tlog';

/** All checkpoints that audit has stored in `folder`, outside of the database. */
function storedIn(folder: string): { file: string; lines: [org: string, note: string][] }[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.newest.ndjson'));
  return names.flatMap((name) => {
    const file = join(folder, name);
    try {
      return [{ file, lines: parseCheckpointLines(readFileSync(file, 'utf8')) }];
    } catch (error) {
      // Audit has merged it meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}

export function newestStored(folder: string, of: string): string {
  const notes = storedIn(folder).flatMap(({ lines }) => lines.flatMap(([org, note]) => (org === of ? [note] : [])));
  return notes.reduce((newest, note) => (readCheckpoint(note).size > readCheckpoint(newest).size ? note : newest));
}

/** Makes `note` the only checkpoint of the organization. The files are replaced, since audit reads each file once. */
export function replaceStored(folder: string, of: string, note: string): void {
  const files = storedIn(folder);
  const others = files.flatMap(({ lines }) => lines.filter(([org]) => org !== of));
  const replaced = new Map<string, string>();
  for (const [org, other] of others)
    if (!(readCheckpoint(replaced.get(org) ?? other).size > readCheckpoint(other).size)) replaced.set(org, other);
  const file = join(folder, `${new Date().toISOString().replaceAll(':', '')}-restored.newest.ndjson`);
  // Audit must not see a part of it.
  writeFileSync(`${file}.new`, formatCheckpointLines([...replaced, [of, note]]));
  renameSync(`${file}.new`, file);
  for (const { file: old } of files) rmSync(old, { force: true });
}
