import { execFile } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { root } from './paths.mjs';

const folder = mkdtempSync(join(process.env.TEST_TMP ?? '', 'script-'));
// As in a folder of the PATH.
const link = join(folder, 'holdfast');
symlinkSync(join(root, 'holdfast'), link);
// With an address the command line does not look for a stack of this clone.
const env = { ...process.env, NATS_URL: 'nats://127.0.0.1:1' };
const run = (...args: string[]) => promisify(execFile)(link, args, { cwd: folder, env });

test('the script runs the command line from any folder, and returns its status', async () => {
  const { stdout } = await run('org', 'create', '--help');
  expect(stdout).toContain('Usage: holdfast org create');
  await expect(run('org', 'crate')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'crate'"),
  });
});
