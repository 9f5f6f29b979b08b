import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { takeBuildLock } from './build-lock.mjs';
import { root } from './paths.mjs';

const file = join(mkdtempSync(join(process.env.TEST_TMP ?? '', 'lock-')), 'build.lock');

/** Another process that builds: resolves once it holds the lock. */
async function builder(then = 'setInterval(() => {}, 1000)'): Promise<ChildProcess> {
  const module = JSON.stringify(join(root, 'tools', 'setup', 'build-lock.mjs'));
  const code = `
    const { takeBuildLock } = await import(${module});
    const release = await takeBuildLock(${JSON.stringify(file)});
    console.log('held'); ${then}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

test('a second process waits until the lock is released', async () => {
  const child = await builder(
    'process.on("SIGTERM", () => { release(); process.exit(); }); setInterval(() => {}, 1000)',
  );
  let taken = false;
  const mine = takeBuildLock(file).then((release) => ((taken = true), release));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(taken).toBe(false);
  child.kill('SIGTERM');
  (await mine)();
  expect(existsSync(file)).toBe(false);
});

test('the lock of a killed process is taken over', async () => {
  const child = await builder();
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(existsSync(file)).toBe(true);
  (await takeBuildLock(file))();
});

test('a program that the owner starts runs under its lock, and does not release it', async () => {
  const release = await takeBuildLock(file);
  const child = await builder('release(); process.exit()');
  if (child.exitCode === null) await once(child, 'exit');
  expect(existsSync(file)).toBe(true);
  release();
  expect(existsSync(file)).toBe(false);
});
