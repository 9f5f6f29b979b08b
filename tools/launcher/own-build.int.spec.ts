import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
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

test('a stack has a copy of all that was built, and shares no file of it with the clone', async () => {
  expect(await help(copy)).toBe(await help(root));
  // Half a file, as a compiler leaves it for a moment: in what the command imports from a library.
  appendFileSync(join(copy, 'libs', 'contracts', 'dist', 'index.js'), '\nexport const half =');
  expect(await help(copy)).toContain('SyntaxError');
  expect(await help(root)).toContain('Usage');
});

test('the copy of a stack whose folder is gone goes with the next start of any stack', async () => {
  rmSync(home, { recursive: true });
  const other = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
  await ownBuild(other);
  expect([existsSync(copy), existsSync(buildOf(other))]).toEqual([false, true]);
  rmSync(buildOf(other), { recursive: true });
});
