import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * Runs one of our TypeScript programs on Node 24 and ends as it ends. Node 20 cannot replace its own process, so we stay
 * as its parent: signals are handed on, and the IPC channel tells the program when we are killed.
 * @param {string} node
 * @param {string} script below tools/, or absolute
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function run(node, script, args, env = process.env) {
  const path = join(root, 'tools', script);
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', path, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`${script} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
}
