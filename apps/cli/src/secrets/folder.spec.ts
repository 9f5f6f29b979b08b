import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { secretTable } from '@holdfast/platform-policy';
import { createInFolder } from './folder.js';

const names = secretTable.map(({ name }) => name);
let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'holdfast-secrets-')), 'secrets');
});

async function content(): Promise<Record<string, string>> {
  const files = await readdir(folder);
  return Object.fromEntries(
    await Promise.all(files.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)),
  );
}

describe('secrets create --folder', () => {
  test('creates one file for each secret, which only its owner can read', async () => {
    expect(await createInFolder(folder)).toEqual(names);
    expect((await readdir(folder)).sort()).toEqual([...names].sort());
    const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode & 0o777));
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  test('changes nothing that exists', async () => {
    await createInFolder(folder);
    const before = await content();
    expect(await createInFolder(folder)).toEqual([]);
    expect(await content()).toEqual(before);
  });

  test('creates one set when ten run at once', async () => {
    const created = await Promise.all(Array.from({ length: 10 }, () => createInFolder(folder)));
    expect(created.flat().sort()).toEqual([...names].sort());
    expect(Object.keys(await content()).sort()).toEqual([...names].sort());
  });

  test('refuses a folder in which a secret is empty, and names it', async () => {
    await createInFolder(folder);
    await writeFile(join(folder, 'COOKIE_KEY'), '');
    await expect(createInFolder(folder)).rejects.toThrow('COOKIE_KEY is empty');
  });
});
