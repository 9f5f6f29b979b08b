import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.mjs';
import { given } from './settings.mjs';

/**
 * Runs a TypeScript program on Node 24 and exits with its status. Node 20 cannot replace its own process, so this
 * process stays as the parent: it passes signals on, and the program sees the end of the IPC channel if the parent is
 * killed.
 * @param {string} node
 * @param {string} script below tools/, or absolute
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @param {() => void} [onLoaded] called when the program has read the whole build, or has ended
 * @param {string[]} [nodeArgs] options of Node.js
 */
export function run(node, script, args, env = given, onLoaded = () => undefined, nodeArgs = []) {
  const path = resolve(root, 'tools', script);
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...nodeArgs, path, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  onNpmExit(() => child.kill('SIGTERM'));
  child.on('message', (message) => {
    if (/** @type {{ loaded?: boolean }} */ (message).loaded) onLoaded();
  });
  child.on('error', (error) => {
    console.error(`${script} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    onLoaded();
    process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
  });
}

/**
 * Runs a program in this process, with this process's arguments.
 * @param {string} program absolute path
 * @param {NodeJS.ProcessEnv} env
 */
export async function runHere(program, env) {
  Object.assign(process.env, env);
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
}

/**
 * npm runs scripts in a shell. A SIGTERM to npm ends that shell, which does not pass the signal on, so this process
 * would keep running. Without npm the parent may end first on purpose, as after `node tools/start.mjs &`.
 * @param {() => void} act
 */
function onNpmExit(act) {
  if (!process.env.npm_lifecycle_script?.includes(basename(process.argv[1] ?? '?'))) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    act();
  }, 500);
  watch.unref();
}
