import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../stack/config.ts';
import { root } from '../stack/stack.ts';

const run = promisify(execFile);
/** What is deployed. Tests and documents are not. */
const deployed = [
  'apps',
  'libs',
  'package-lock.json',
  ':!apps/e2e',
  ':!libs/testing',
  ':!*.spec.ts',
  ':!*.fixture.ts',
  ':!*.md',
];

/**
 * The version that this one is tested with: `ref`, or the one before the last change. That is the parent commit, or
 * this commit when the work tree has changes of what is deployed. Without one, `skipped` says why.
 */
export async function previousVersion(
  ref?: string,
): Promise<{ commit: string; skipped?: undefined } | { skipped: string }> {
  const changed = await git('status', '--porcelain', '--', ...deployed).catch(() => undefined);
  if (changed === undefined) return { skipped: 'this is not a git clone' };
  const revision = ref ?? (changed === '' ? 'HEAD^' : 'HEAD');
  const commit = await git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`).catch(() => undefined);
  if (commit === undefined)
    return { skipped: `there is no commit ${revision} here: the clone is shallow, or this is the first one` };
  const differs = await git('diff', '--name-only', commit, '--', ...deployed);
  const added = changed.split('\n').some((line) => line.startsWith('??'));
  return differs === '' && !added
    ? { skipped: `nothing that is deployed has changed since ${commit.slice(0, 7)}` }
    : { commit };
}

/**
 * Extracts that version into `folder`, outside the work tree, and compiles it as its own `npm start` does. It uses the
 * modules of this clone when the lock file is the same; otherwise npm installs them.
 * @returns the folder of its build
 */
export async function buildVersion(commit: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  await run('sh', ['-c', 'git -C "$0" archive "$1" | tar -x -C "$2"', root, commit, folder]);
  const lockFile = (clone: string): string => readFileSync(join(clone, 'package-lock.json'), 'utf8');
  if (lockFile(folder) === lockFile(root)) linkModules(folder);
  else
    await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, env: cleanEnvironment({}) });
  const compile = 'const { folder, release } = await (await import(process.argv[1])).ensureCompiled(process.execPath);';
  const script = `${compile} release(); console.log(folder);`;
  const module = join(folder, 'tools', 'setup', 'compile.mjs');
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, module], {
    cwd: folder,
    env: cleanEnvironment({}),
  });
  return stdout.trimEnd().split('\n').at(-1)!;
}

/** Links all packages of this clone, and the workspace's own packages of the other version. */
function linkModules(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@holdfast'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '@holdfast') symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const group of ['apps', 'libs', 'examples'])
    for (const name of readdirSync(join(folder, group)))
      symlinkSync(join('..', '..', group, name), join(modules, '@holdfast', name));
}

async function git(...args: string[]): Promise<string> {
  return (await run('git', ['-C', root, ...args])).stdout.trim();
}
