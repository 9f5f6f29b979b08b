import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EphemeralServers } from '../infra/ephemeral.ts';
import { hasEnded } from '../infra/program.ts';
import { root } from '../setup/paths.mjs';

/** Checks out `reference` beside the other files of this run, and builds it. `servers` removes it. */
export async function makeBaseClone(servers: EphemeralServers, reference: string): Promise<string> {
  const clone = servers.baseClone;
  // Of runs that were killed; their folders are gone.
  git('worktree', 'prune');
  const commit = git('rev-parse', '--verify', '--end-of-options', `${reference}^{commit}`);
  git('worktree', 'add', '--quiet', '--detach', clone, commit);
  servers.onStop(async () => {
    rmSync(clone, { recursive: true, force: true, maxRetries: 5 });
    git('worktree', 'prune');
  });
  // Links instead of copies: npm replaces packages that differ, and writes to none in place.
  const modules = git('ls-files', '*package.json')
    .split('\n')
    .map((file) => join(dirname(file), 'node_modules'));
  for (const folder of modules.filter((each) => existsSync(join(root, each)) && existsSync(dirname(join(clone, each)))))
    execute('cp', ['-al', join(root, folder), join(clone, folder)]);
  const downloads = join('.holdfast', 'cache');
  if (existsSync(join(root, downloads))) {
    mkdirSync(join(clone, '.holdfast'), { recursive: true });
    execute('cp', ['-al', join(root, downloads), join(clone, downloads)]);
  }
  const build = spawn(process.execPath, [join(clone, 'tools', 'check.mjs'), 'build'], {
    cwd: clone,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  servers.onStop(async () => {
    if (hasEnded(build)) return;
    const ended = once(build, 'exit');
    build.kill('SIGTERM');
    await ended;
  });
  const [status] = (await once(build, 'exit')) as [number | null];
  if (status !== 0) throw new Error(`${reference} could not be built. Its output is above.`);
  return clone;
}

function git(...args: string[]): string {
  return execute('git', args);
}

function execute(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.slice(0, 2).join(' ')} failed: ${stderr.trim()}`);
  return stdout.trim();
}
