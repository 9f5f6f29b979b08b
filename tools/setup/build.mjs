import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { takeBuildLock } from './build-lock.mjs';
import { root } from './paths.mjs';
import { quietly } from './quietly.mjs';

/**
 * Environment of Nx: the project's Node.js first, and all caches inside the clone.
 * @param {string} node
 */
export function nxEnvironment(node) {
  return {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
    NX_DAEMON: 'false',
    NX_TUI: 'false',
    // By default Nx shares one cache in the home folder among all clones.
    NX_CACHE_DIRECTORY: join(root, '.nx', 'cache'),
    NX_NATIVE_FILE_CACHE_DIRECTORY: join(root, '.nx', 'native'),
  };
}

export const nxProgram = join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js');

/**
 * @param {string} node
 * @param {string[]} targets
 * @param {string[]} [command] `affected` runs them for what differs from the default branch
 * @returns {[string, string[]]}
 */
export function nx(node, targets, command = ['run-many']) {
  return [node, [nxProgram, ...command, '-t', ...targets, '--output-style=static']];
}

/**
 * Builds what has changed; Nx uses its cache for the rest.
 * @param {string} node
 * @returns {Promise<() => void>} releases the build lock; to be called once the build has been read
 */
export async function ensureBuild(node) {
  const release = await takeBuildLock();
  const first = !existsSync(join(root, 'apps', 'cli', 'dist'));
  if (first) console.log('Building (half a minute the first time) ...');
  const took = await quietly('The build', ...nx(node, ['build']), { cwd: root, env: nxEnvironment(node) });
  if (first) console.log(`Built in ${took}`);
  return release;
}
