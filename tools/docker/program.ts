import { execFileSync } from 'node:child_process';
import { root } from '../setup/paths.mjs';

/** Runs a program in the clone and returns what it prints. Its errors are shown. */
export function output(program: string, args: string[], env: NodeJS.ProcessEnv = {}): string {
  return execFileSync(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs a program in the clone and shows what it prints. */
export function runProgram(program: string, args: string[], env: NodeJS.ProcessEnv = {}): void {
  execFileSync(program, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit'] });
}
