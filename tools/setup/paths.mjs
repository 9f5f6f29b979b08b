import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settings } from './settings.mjs';

/** The clone. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Data, secrets and logs of this stack. Tests start a second stack in another folder. */
export const home = resolve(settings().HOLDFAST_HOME || join(root, '.holdfast'));

/** Downloads. All stacks of the clone share them, and `npm run reset` keeps them. */
export const cache = join(root, '.holdfast', 'cache');

/** V8's code of compiled modules, by their content: NODE_COMPILE_CACHE of everything that a stack runs. */
export const compileCache = join(cache, 'v8');

/** Copies of the build, one per running stack. They are inside the clone, where Node.js finds node_modules. */
export const builds = join(root, '.holdfast', 'builds');

/**
 * The folder of the build that the stack of `folder` uses.
 * @param {string} folder
 */
export function buildOf(folder) {
  return join(builds, createHash('sha256').update(folder).digest('hex').slice(0, 12));
}

/**
 * The program of a service, or of the command line, as the compiler writes it.
 * @param {string} build
 * @param {string} name a service, or `cli`
 */
export function mainOf(build, name) {
  return join(build, 'apps', name, 'dist', 'main.js');
}

/**
 * What runs of a build: the bundle of `mainOf`. Only the build of a stack has bundles (tools/launcher/bundle.ts), the
 * clone, an earlier version and a build that a test changes may have none.
 * @param {string} build
 * @param {string} name a service, or `cli`
 */
export function programOf(build, name) {
  const bundle = join(build, 'bundle', `${name}.js`);
  return existsSync(bundle) ? bundle : mainOf(build, name);
}
