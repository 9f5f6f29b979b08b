import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './paths.mjs';
import { isRunning, startTimeOf } from './processes.mjs';

/** Names the process that builds in this clone, or copies the build. */
const lockFile = join(root, '.nx', 'build.lock');

/**
 * Waits until no other process builds in this clone or copies its build, and makes others wait until it is released. A
 * compiler rewrites its files one after the other, so a concurrent reader would find incomplete ones. The lock of a
 * killed process is taken over. A program that the owner starts runs under its parent's lock.
 * @param {string} [file]
 * @param {string} [work] what a process that holds it does, for those that wait
 * @returns {Promise<() => void>} releases it
 */
export async function takeBuildLock(file = lockFile, work = 'build') {
  mkdirSync(dirname(file), { recursive: true });
  for (let attempt = 0; ; attempt += 1) {
    const text = `${JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) })}\n`;
    if (take(file, text)) return () => release(file, text);
    const owner = read(file);
    if (owner === undefined) continue;
    const { pid, startTime } = JSON.parse(owner);
    if (pid === process.ppid) return () => undefined;
    if (!isRunning({ pid, startTime })) clear(file, owner);
    else {
      if (attempt === 20) console.log(`Waiting for another ${work} in this clone (process ${pid}) ...`);
      await sleep(100);
    }
  }
}

/**
 * @param {string} file
 * @param {string} text
 */
function take(file, text) {
  const claim = `${file}.${process.pid}`;
  writeFileSync(claim, text);
  try {
    linkSync(claim, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(claim, { force: true });
  }
}

/**
 * @param {string} file
 * @param {string} text
 */
function release(file, text) {
  if (read(file) === text) rmSync(file, { force: true });
}

/**
 * Removes the lock of a killed process. If another process has taken it over in the meantime, its lock is restored.
 * @param {string} file
 * @param {string} owner
 */
function clear(file, owner) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== owner) linkSync(aside, file);
  } catch {
    // Another process has removed it.
  }
  rmSync(aside, { force: true });
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
