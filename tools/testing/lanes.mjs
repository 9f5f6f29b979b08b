// Which end-to-end tests run beside each other.
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { root } from '../setup/paths.mjs';

/**
 * Lanes run beside each other, because their tests wait for half of the time. In each one file runs at a time, since
 * tests stop, pause and damage services.
 * `shared` and `second`: the tests of one stack each.
 * `own`: files that start a stack of their own.
 * @typedef {'shared' | 'second' | 'own'} Lane
 */

/** Folders of the lane `second`: half of what does not start a stack of its own. */
const second = ['apps', 'browser', 'people'];

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
  return second.some((name) => file.startsWith(join(folder, name) + sep)) ? 'second' : 'shared';
}
