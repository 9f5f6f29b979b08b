import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { home } from './paths.mjs';
import { isRunning } from './processes.mjs';

/**
 * @typedef {object} RunningStack
 * @property {number} pid of the launcher
 * @property {string} [startTime]
 * @property {string} baseUrl
 * @property {string} [natsUrl]
 * @property {string} [databaseUrl] as the owner
 * @property {string} [build] folder of the build that it uses, a copy of its own
 * @property {string} [checkpointDir] where audit keeps its checkpoints
 * @property {{ port: number, token: string }} [control]
 * @property {{ shop: number, kiosk: number }} [examples] ports of the example shop
 */

/** Written while a stack runs; left behind only by a launcher that was killed. */
export const launcherFile = join(home, 'launcher.json');

/** @returns {RunningStack | undefined} */
export function runningStack() {
  try {
    const stack = JSON.parse(readFileSync(launcherFile, 'utf8'));
    return isRunning(stack) ? stack : undefined;
  } catch {
    return undefined;
  }
}

/** What a command says that found no stack: often one runs with another folder. */
export const notRunning = `Holdfast is not running with the folder ${home}. Start it with "npm start". If it runs with a folder of its own, set HOLDFAST_HOME to that folder.`;

/** Before `npm ci`, which would take the modules from under a running stack. */
export function refuseWhileRunning() {
  const stack = runningStack();
  if (!stack) return;
  console.error(
    `Holdfast is already running at ${stack.baseUrl} (process ${stack.pid}); stop it with Ctrl-C there, or with: kill ${stack.pid}`,
  );
  process.exit(1);
}
