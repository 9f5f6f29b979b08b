import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * @param {string} version such as v24.11.0
 * @param {[number, number]} minimum
 */
function atLeast(version, [major, minor]) {
  const [a = 0, b = 0] = version.replace(/^v/, '').split('.').map(Number);
  return a > major || (a === major && b >= minor);
}

/** The entry points run on the machine's Node.js; 20.19 is the version of Debian's package. */
export function requireNode() {
  if (atLeast(process.version, [20, 19])) return;
  console.error(
    `Holdfast needs Node.js 20.19 or newer, and this is ${process.version}. ` +
      'Install a newer one from https://nodejs.org and try again.',
  );
  process.exit(1);
}

/** The Node.js that runs the stack: the one in node_modules, else this one if it is new enough. */
export function bundledNode() {
  const installed = join(root, 'node_modules', '.bin', 'node');
  for (const candidate of [installed, process.execPath]) {
    if (!existsSync(candidate)) continue;
    const node = realpathSync(candidate);
    if (atLeast(versionOf(node), [24, 11])) return node;
  }
  console.error(
    `Holdfast runs on Node.js 24.11 or newer, and npm has none for ${process.platform}-${process.arch}. ` +
      'Install Node.js 24 from https://nodejs.org and try again.',
  );
  return process.exit(1);
}

/** @param {string} node */
function versionOf(node) {
  if (node === realpathSync(process.execPath)) return process.version;
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return 'v0.0';
  }
}
