// Which end-to-end tests run beside each other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';

/**
 * `shared`: tests of the one stack of the stage. They stop, pause and damage its services, so one file runs at a time.
 * `own`: files that start a stack of their own. They run beside those, also one at a time, because of the two cores.
 */
export const lanes = /** @type {const} */ (['shared', 'own']);

const folder = join(root, 'apps', 'e2e', 'src');

/**
 * The files of the other lane.
 * @param {string} lane
 */
export function filesOfOtherLane(lane) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.spec.ts'));
  return files
    .map((name) => join(folder, name))
    .filter((file) => /new \w+Stack\(/.test(readFileSync(file, 'utf8')) !== (lane === 'own'));
}
