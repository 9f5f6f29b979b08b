import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { takeBuildLock } from '../setup/build-lock.mjs';
import { buildOf, builds, root } from '../setup/paths.mjs';

const note = 'stack.txt';

/**
 * A copy of all that was built, for one stack alone: services that are started again, jobs and commands of a running
 * stack go on with what the stack began with, whatever another build of the clone writes meanwhile.
 * @param home of the stack
 * @returns the copy's folder, with `apps` and `libs` as in the clone; what it imports of them is its own
 */
export async function ownBuild(home: string): Promise<string> {
  const folder = buildOf(home);
  const release = await takeBuildLock();
  try {
    sweep();
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'node_modules', '@holdfast'), { recursive: true });
    for (const group of ['apps', 'libs'])
      for (const name of readdirSync(join(root, group))) copyProject(folder, group, name);
    writeFileSync(join(folder, note), home);
  } finally {
    release();
  }
  return folder;
}

function copyProject(folder: string, group: string, name: string): void {
  const [from, to] = [join(root, group, name), join(folder, group, name)];
  if (!existsSync(join(from, 'dist'))) return;
  cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
  cpSync(join(from, 'package.json'), join(to, 'package.json'));
  // All other packages are found in the clone's node_modules, some folders up.
  symlinkSync(join('..', '..', group, name), join(folder, 'node_modules', '@holdfast', basename(name)));
}

/** What stacks left behind whose folder was deleted. */
function sweep(): void {
  if (!existsSync(builds)) return;
  for (const name of readdirSync(builds)) {
    const path = join(builds, name, note);
    if (existsSync(path) && !existsSync(readFileSync(path, 'utf8')))
      rmSync(join(builds, name), { recursive: true, force: true });
  }
}
