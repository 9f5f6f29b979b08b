// The program as a pod starts it. The names are addresses and names that need no DNS server.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const program = fileURLToPath(new URL('../../dist/rollout/wait-for-rollout.js', import.meta.url));
const run = async (...args: string[]) => (await promisify(execFile)(process.execPath, [program, ...args])).stdout;

test('starts at once when the name of all replicas does not exist', async () => {
  expect(await run('directory-all.invalid', 'directory-new.invalid', '60')).toBe(
    'directory-all.invalid: no replica of another version\n',
  );
});

test('starts at once when both names have the same addresses', async () => {
  expect(await run('127.0.0.1', '127.0.0.1', '60')).toBe('127.0.0.1: no replica of another version\n');
});

test('waits for a replica of another version until its timeout, and then starts anyway', async () => {
  expect(await run('127.0.0.1', 'directory-new.invalid', '0.5')).toBe(
    '127.0.0.1: 1 of another version after 0.5 s; starting anyway\n',
  );
});
