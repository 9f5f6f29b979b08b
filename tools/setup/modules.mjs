import { readFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { root } from './paths.mjs';
import { quietly } from './quietly.mjs';

/** Runs `npm ci` when the installed packages differ from package-lock.json: for tests, checks and generators. */
export async function ensureModules() {
  const { wanted, installed } = packages();
  if (installed && isInstalled(wanted, installed)) return;
  const isRuntimeOnly = installed !== undefined && isInstalled(runtimeOf(wanted), installed);
  const what = isRuntimeOnly ? 'the packages of tests and checks as well' : 'the packages of package-lock.json';
  await install(`Installing ${what} (about a minute) ...`, []);
}

/** The same for what running the stack needs. Packages of tests and checks that are installed stay so. */
export async function ensureRuntimeModules() {
  const { wanted, installed } = packages();
  if (installed && isInstalled(runtimeOf(wanted), installed)) return;
  if (installed && hasDevelopment(installed)) return ensureModules();
  await install('Installing the packages that running needs ...', ['--omit=dev']);
}

/**
 * @param {string} message
 * @param {string[]} options of npm
 */
async function install(message, options) {
  console.log(message);
  const args = ['ci', '--no-audit', '--no-fund', ...options];
  const took = await quietly('npm ci', ...npm(args), { cwd: root, env: environment() });
  console.log(`Installed in ${took}`);
}

function packages() {
  return {
    wanted: packagesOf(join(root, 'package-lock.json')) ?? {},
    // npm writes its list of installed packages as its last step.
    installed: packagesOf(join(root, 'node_modules', '.package-lock.json')),
  };
}

/**
 * Without packages of tests, checks and builds.
 * @param {Packages} all
 * @returns {Packages}
 */
export function runtimeOf(all) {
  return Object.fromEntries(Object.entries(all).filter(([, { dev }]) => !dev));
}

/** @param {Packages} installed */
export function hasDevelopment(installed) {
  return Object.values(installed).some(({ dev }) => dev);
}

/**
 * @typedef {Record<string, { version?: string, integrity?: string, resolved?: string, link?: boolean, dev?: boolean,
 * os?: string[], cpu?: string[], libc?: string[] }>} Packages
 */

/**
 * @param {Packages} wanted
 * @param {Packages} installed
 */
export function isInstalled(wanted, installed) {
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true; // The workspaces themselves.
    const found = installed[path];
    if (!found) return isForOtherMachines(wanted, path);
    return (
      found.version === entry.version &&
      found.integrity === entry.integrity &&
      (!entry.link || found.resolved === entry.resolved)
    );
  });
}

/**
 * Whether a package, or the one whose folder it is in, is for other operating systems, processors or C libraries. npm
 * leaves such a package out if it is optional. It also leaves out an optional package for other versions of Node.js,
 * which this project must not have.
 * @param {Packages} wanted
 * @param {string} path
 */
function isForOtherMachines(wanted, path) {
  const parts = path.split('/node_modules/');
  return parts.some((_, index) => {
    const { os, cpu, libc } = wanted[parts.slice(0, index + 1).join('/node_modules/')] ?? {};
    // npm knows which C library this machine has; Node.js would have to write a report to find out.
    return libc !== undefined || os?.includes(process.platform) === false || cpu?.includes(process.arch) === false;
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
