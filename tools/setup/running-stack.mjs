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
 * @property {Record<string, { natsUrl: string, databaseUrl: string, databaseUrls?: Record<string, string> }>} [shards]
 *   servers of further shards, by name
 * @property {string} [databaseUrl] as the owner
 * @property {Record<string, string>} [databaseUrls] as the owner, of the services that have a database of their own
 * @property {string} [build] folder of the build that it uses, a copy of its own
 * @property {string} [checkpointDir] where audit keeps its checkpoints
 * @property {{ port: number, token: string }} [control]
 * @property {{ shop: number, kiosk: number }} [examples] ports of the example shop
 * @property {string} [shopSite] scheme and host of the example shop
 * @property {{ NODE_EXTRA_CA_CERTS?: string, NODE_OPTIONS?: string }} [reachingEnv] what programs need to reach
 *   `baseUrl`
 */

/** Exists while a stack runs. Only a launcher that is killed leaves it behind. */
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

/** The error of commands that need a running stack. Often one runs with another folder. */
export const notRunning =
  `Holdfast is not running with the folder ${home}. Start it with "npm start". ` +
  'If it runs with another folder, set HOLDFAST_HOME to that folder.';

/** The error of commands that need a stack that is ready. */
export const stillStarting = 'Holdfast is still starting. Try again when it is ready.';

/** To be called before `npm ci`, which would delete the modules of a running stack. */
export function exitIfRunning() {
  const stack = runningStack();
  if (!stack) return;
  console.error(
    `Holdfast is already running at ${stack.baseUrl} (process ${stack.pid}). ` +
      `Stop it with Ctrl-C in its terminal, or with: kill ${stack.pid}`,
  );
  process.exit(1);
}
