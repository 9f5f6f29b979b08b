// Which end-to-end tests run beside each other.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';

/**
 * In each lane one file runs at a time, since tests stop, pause and damage services. Two lanes use two cores: with a
 * third one everything took a third longer.
 * `shared`: the tests of one stack.
 * `own`: files that start a stack of their own. They run beside those.
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
