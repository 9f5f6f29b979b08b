// Which end-to-end tests run beside each other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';

/**
 * `shared`: tests of one stack. They stop, pause and damage its services, so one file runs at a time.
 * `own`: files that start a stack of their own. They run beside those, also one at a time, because of the two cores.
 * `hub`: tests of the hub in a browser, on a second stack. They run after `own`, since `shared` takes longer.
 * @typedef {'shared' | 'own' | 'hub'} Lane
 */

const folder = join(root, 'apps', 'e2e', 'src');

/**
 * The files of other lanes.
 * @param {string} lanes one or several, divided by commas
 */
export function filesOfOtherLanes(lanes) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.spec.ts'));
  return files.map((name) => join(folder, name)).filter((file) => !lanes.split(',').includes(laneOf(file)));
}

/**
 * @param {string} file
 * @returns {Lane}
 */
function laneOf(file) {
  if (/new \w+Stack\(/.test(readFileSync(file, 'utf8'))) return 'own';
  return file.startsWith(join(folder, 'browser', 'hub')) ? 'hub' : 'shared';
}
