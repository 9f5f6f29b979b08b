import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { serviceNames } from '@holdfast/contracts';
import { ensureCompiled, useOf } from './compile.mjs';
import { root } from './paths.mjs';

async function compiled(): Promise<string> {
  const { folder, release } = await ensureCompiled(process.execPath);
  release();
  return folder;
}

test('what npm start runs has every service and page, and no test', async () => {
  const folder = await compiled();
  const paths = [...serviceNames, 'cli'].map((name) => join(folder, 'apps', name, 'dist', 'main.js'));
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  expect(existsSync(join(folder, 'apps/pages/dist/claim.html'))).toBe(true);
  expect(existsSync(join(folder, 'apps/hub/dist/hub.html'))).toBe(true);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(files.filter((path) => /\.(spec|fixture)\.js$|\.ts$/.test(path))).toEqual([]);
});

test('nothing is compiled again while the sources are the same', async () => {
  const main = join(await compiled(), 'apps/gateway/dist/main.js');
  const before = statSync(main);
  await compiled();
  expect([statSync(main).ino, statSync(main).mtimeMs]).toEqual([before.ino, before.mtimeMs]);
});

test('programs of the clone import the libraries from there', async () => {
  const folder = await compiled();
  const program = `console.log(import.meta.resolve('@holdfast/contracts'))`;
  const args = [...useOf(folder), '--input-type=module', '-e', program];
  const stdout = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect(stdout).toContain(`${folder}/libs/contracts/dist/index.js`);
});
