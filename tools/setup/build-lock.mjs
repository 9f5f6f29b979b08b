import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './paths.mjs';
import { isRunning, startTimeOf } from './processes.mjs';

/** Who builds in this clone, or copies what was built. */
const lockFile = join(root, '.nx', 'build.lock');

/**
 * Waits until nobody else builds in this clone or copies what was built, and keeps others from it until it is released.
 * A compiler rewrites its files one after the other: whoever reads meanwhile finds half of one. The lock of a process
 * that was killed counts no more. The program that the owner starts may go on under its parent's lock.
 * @param {string} [file]
 * @returns {Promise<() => void>} releases it
 */
export async function takeBuildLock(file = lockFile) {
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
      if (attempt === 20) console.log(`Waiting for another build in this clone (process ${pid}) ...`);
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
 * Takes away the lock of a process that was killed. Another may be faster and hold it already: then it is put back.
 * @param {string} file
 * @param {string} owner
 */
function clear(file, owner) {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== owner) linkSync(aside, file);
  } catch {
    // somebody else has cleared it
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
