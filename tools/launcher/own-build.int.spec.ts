import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildOf, root } from '../setup/paths.mjs';
import { ownBuild } from './own-build.ts';

const home = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
let copy: string;
beforeAll(async () => {
  copy = await ownBuild(home);
});
afterAll(() => rmSync(buildOf(home), { recursive: true, force: true }));

const help = (folder: string): Promise<string> =>
  promisify(execFile)(process.execPath, [join(folder, 'apps', 'cli', 'dist', 'main.js'), '--help']).then(
    ({ stdout }) => stdout,
    (error: Error) => error.message,
  );

test('a stack has its own copy of the build, and shares no file of it with the clone', async () => {
  expect(await help(copy)).toBe(await help(root));
  // An incomplete file of a library that the command imports, as a compiler leaves it for a moment.
  appendFileSync(join(copy, 'libs', 'contracts', 'dist', 'index.js'), '\nexport const half =');
  expect(await help(copy)).toContain('SyntaxError');
  expect(await help(root)).toContain('Usage');
});

test('the copy of a stack whose folder was deleted is removed at the next start of any stack', async () => {
  rmSync(home, { recursive: true });
  const other = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
  await ownBuild(other);
  expect([existsSync(copy), existsSync(buildOf(other))]).toEqual([false, true]);
  rmSync(buildOf(other), { recursive: true });
});

test('a folder without a package.json is not copied, as a deleted project leaves it with its build', async () => {
  const clone = mkdtempSync(join(process.env.TEST_TMP ?? '', 'clone-'));
  for (const name of ['removed', 'built', 'unbuilt']) mkdirSync(join(clone, 'libs', name), { recursive: true });
  for (const name of ['removed', 'built']) {
    mkdirSync(join(clone, 'libs', name, 'dist'));
    writeFileSync(join(clone, 'libs', name, 'dist', 'index.js'), '');
  }
  for (const name of ['built', 'unbuilt']) writeFileSync(join(clone, 'libs', name, 'package.json'), '{}');
  const stack = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
  const folder = await ownBuild(stack, clone);
  expect(readdirSync(join(folder, 'libs'))).toEqual(['built']);
  expect(readdirSync(join(folder, 'node_modules', '@holdfast'))).toEqual(['built']);
  rmSync(folder, { recursive: true });
});
