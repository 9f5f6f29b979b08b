import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';

/** Runs a program of bench. @returns its exit code */
export function runBench(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'bench', program), ...args],
    {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
