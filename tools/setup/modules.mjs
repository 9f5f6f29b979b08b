import { readFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { takeBuildLock } from './build-lock.mjs';
import { root } from './paths.mjs';
import { quietly } from './quietly.mjs';

const installLock = join(root, '.nx', 'install.lock');

/** Runs `npm ci` when the installed packages differ from package-lock.json: for tests, checks and generators. */
export function ensureModules() {
  return ensure(missingModules);
}

/** The same for what running the stack needs. Packages of tests and checks that are installed stay so. */
export function ensureRuntimeModules() {
  return ensure(missingRuntimeModules);
}

/**
 * What is to be installed.
 * @typedef {{ message: string, options: string[] }} Installation
 */

/** @returns {Installation | undefined} */
function missingModules() {
  const { wanted, installed } = packages();
  if (installed && isInstalled(wanted, installed)) return undefined;
  const isRuntimeOnly = installed !== undefined && isInstalled(runtimeOf(wanted), installed);
  const what = isRuntimeOnly ? 'the packages of tests and checks as well' : 'the packages of package-lock.json';
  return { message: `Installing ${what} (about a minute) ...`, options: [] };
}

/** @returns {Installation | undefined} */
function missingRuntimeModules() {
  const { wanted, installed } = packages();
  if (installed && isInstalled(runtimeOf(wanted), installed)) return undefined;
  if (installed && hasDevelopment(installed)) return missingModules();
  return { message: 'Installing the packages that running needs ...', options: ['--omit=dev'] };
}

/**
 * One process installs at a time: `npm ci` begins by deleting what another one has installed.
 * @param {() => Installation | undefined} missing
 */
async function ensure(missing) {
  if (!missing()) return;
  const release = await takeBuildLock(installLock, 'installation of packages');
  try {
    const installation = missing();
    if (installation) await install(installation);
  } finally {
    release();
  }
}

/** @param {Installation} installation */
async function install({ message, options }) {
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
