import { readFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { root } from './paths.mjs';
import { quietly } from './quietly.mjs';

/** Runs `npm ci` when the installed packages differ from package-lock.json. */
export async function ensureModules() {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  // npm writes its list of installed packages as its last step.
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed && isInstalled(wanted ?? {}, installed)) return;
  console.log('Installing the packages of package-lock.json (about a minute) ...');
  const took = await quietly('npm ci', ...npm(['ci', '--no-audit', '--no-fund']), { cwd: root, env: environment() });
  console.log(`Installed in ${took}`);
}

/**
 * @typedef {Record<string, { version?: string, integrity?: string, resolved?: string, link?: boolean, optional?:
 * boolean, devOptional?: boolean }>} Packages
 */

/**
 * @param {Packages} wanted
 * @param {Packages} installed
 */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true; // The workspaces themselves.
    const found = installed[path];
    if (!found) return entry.optional || entry.devOptional; // Such as binaries for other platforms.
    return (
      found.version === entry.version &&
      found.integrity === entry.integrity &&
      (!entry.link || found.resolved === entry.resolved)
    );
  });
}

/**
 * @param {string} file
 * @returns {Packages | undefined}
 */
function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * The npm that runs this script, on its own Node.js: the project's is in node_modules, which `npm ci` deletes.
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
