import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { takeBuildLock } from '../setup/build-lock.mjs';
import { buildOf, builds, root } from '../setup/paths.mjs';
import { addBundles } from './bundle.ts';

const note = 'stack.txt';

/**
 * Copies the build for one stack: restarted services, jobs and commands of a running stack use the build that it was
 * started with, even if the clone is built again meanwhile.
 * @param home folder of the stack
 * @param clone whose build is copied
 * @returns the copy's folder, with `apps` and `libs` as in the clone; its files import each other
 */
export async function ownBuild(home: string, clone = root): Promise<string> {
  const folder = buildOf(home);
  const release = await takeBuildLock();
  try {
    removeOrphanedCopies();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'node_modules', '@holdfast'), { recursive: true });
    for (const group of ['apps', 'libs'].filter((name) => existsSync(join(clone, name))))
      for (const name of readdirSync(join(clone, group)))
        copyProject(join(clone, group, name), join(folder, group, name), folder);
    await addBundles(folder);
    writeFileSync(join(folder, note), home);
  } finally {
    release();
  }
  return folder;
}

/** A folder without a package.json is that of a deleted project, whose build git does not remove. */
function copyProject(from: string, to: string, folder: string): void {
  if (!existsSync(join(from, 'dist')) || !existsSync(join(from, 'package.json'))) return;
  cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
  cpSync(join(from, 'package.json'), join(to, 'package.json'));
  // Node.js finds all other packages in the clone's node_modules, some folders up.
  const modules = join(folder, 'node_modules', '@holdfast');
  symlinkSync(relative(modules, to), join(modules, basename(to)));
}

/** Removes the copies of stacks whose folder was deleted. */
function removeOrphanedCopies(): void {
  if (!existsSync(builds)) return;
  for (const name of readdirSync(builds)) {
    const path = join(builds, name, note);
    if (existsSync(path) && !existsSync(readFileSync(path, 'utf8')))
      rmSync(join(builds, name), { recursive: true, force: true });
  }
}
