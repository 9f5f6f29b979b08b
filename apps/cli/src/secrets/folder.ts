import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingSecrets, secretTable } from '@holdfast/platform-policy';
import { CommandError } from '../command-error.js';

/**
 * Creates the missing secrets as files of a folder, one each, that only its owner can read. A file that exists, also
 * one that another process creates meanwhile, stays as it is.
 *
 * @returns the names of the created secrets
 */
export async function createInFolder(folder: string, entries = secretTable): Promise<string[]> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const created: string[] = [];
    for (const [name, value] of Object.entries(missingSecrets(await secretsIn(folder), entries)))
      if (await createFile(join(folder, name), value)) created.push(name);
    return created;
  } catch (error) {
    throw new CommandError(`The folder of the secrets cannot be used: ${(error as Error).message}`);
  }
}

/** All secrets of a folder, by their names. @throws Error that names an empty file */
export async function secretsIn(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { withFileTypes: true })).filter((entry) => !entry.isDirectory());
  const read = async (name: string) => [name, (await readFile(join(folder, name), 'utf8')).trim()] as const;
  const entries = await Promise.all(files.filter(({ name }) => !name.startsWith('.')).map(({ name }) => read(name)));
  const empty = entries.find(([, value]) => value === '');
  // It may be the rest of a copy that failed. A new secret in its place would hide that.
  if (empty) throw new Error(`${empty[0]} is empty. Restore it from a copy, or remove the file to create a new secret`);
  return Object.fromEntries(entries);
}

/** A link appears with its whole content or not at all, and never replaces a file. */
async function createFile(path: string, value: string): Promise<boolean> {
  const draft = `${path.replace(/[^/]+$/, '')}.${randomUUID()}`;
  await writeFile(draft, value, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}
