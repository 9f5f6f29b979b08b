import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settings } from './settings.mjs';

/** The clone. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * Everything this stack remembers: data, secrets, logs. Tests start a second stack beside it by giving another folder.
 */
export const home = resolve(settings().HOLDFAST_HOME || join(root, '.holdfast'));

/** Downloads, kept by `npm run reset`. One per clone, whatever the home. */
export const cache = join(root, '.holdfast', 'cache');

/** Builds that running stacks use, a folder for each stack: inside the clone, where Node.js finds node_modules. */
export const builds = join(root, '.holdfast', 'builds');

/**
 * The folder of the build that the stack of `folder` uses.
 * @param {string} folder
 */
export function buildOf(folder) {
  return join(builds, createHash('sha256').update(folder).digest('hex').slice(0, 12));
}
