import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { root } from './paths.mjs';
import { quietly } from './quietly.mjs';

const lock = join(root, 'package-lock.json');
const stamp = join(root, 'node_modules', '.holdfast-lock');
const installedLock = join(root, 'node_modules', '.package-lock.json');

/** Runs `npm ci` when there are no modules yet or package-lock.json has changed since. */
export async function ensureModules() {
  const wanted = createHash('sha256').update(readFileSync(lock)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  if (!installedByHand()) {
    console.log('Installing what package-lock.json names (about a minute) ...');
    const took = await quietly('npm ci', ...npm(['ci', '--no-audit', '--no-fund']), { cwd: root, env: environment() });
    console.log(`Installed in ${took}`);
  }
  writeFileSync(stamp, wanted);
}

/** npm writes its own copy of the lock as its last step; if that is the newer one, somebody ran npm already. */
function installedByHand() {
  return existsSync(installedLock) && statSync(installedLock).mtimeMs >= statSync(lock).mtimeMs;
}

/**
 * The npm that called us, on the Node.js it runs on: ours lies in node_modules, which `npm ci` takes away.
 * @param {string[]} args
 * @returns {[string, string[]]}
 */
function npm(args) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  return script && node ? [node, [script, ...args]] : ['npm', args];
}

function environment() {
  const inside = join(root, 'node_modules') + sep;
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !`${folder}${sep}`.startsWith(inside));
  return { ...process.env, PATH: path.join(delimiter) };
}
