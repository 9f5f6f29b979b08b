import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { root } from './paths.mjs';

const file = join(mkdtempSync(join(process.env.TEST_TMP ?? '', 'settings-')), '.env');

/** The settings of a process with this environment. */
async function read(env: NodeJS.ProcessEnv, more: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  const module = JSON.stringify(join(root, 'tools', 'setup', 'settings.mjs'));
  const code = `
    const { settings } = await import(${module});
    console.log(JSON.stringify(settings(${JSON.stringify(more)})))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env.PATH, HOLDFAST_ENV_FILE: file, ...env },
  });
  return JSON.parse(stdout) as NodeJS.ProcessEnv;
}

test('variables of the process win over the .env file, and those of the call over both', async () => {
  expect(await read({ PORT: '1' })).toMatchObject({ PORT: '1' });
  writeFileSync(file, '# a comment\nPORT=2\nLOG_LEVEL="debug"\n');
  expect(await read({})).toMatchObject({ PORT: '2', LOG_LEVEL: 'debug' });
  expect(await read({ PORT: '1' })).toMatchObject({ PORT: '1', LOG_LEVEL: 'debug' });
  expect(await read({ PORT: '1' }, { PORT: '3' })).toMatchObject({ PORT: '3', LOG_LEVEL: 'debug' });
});
