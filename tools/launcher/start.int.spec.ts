import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freePort } from '../infra/ports.ts';
import { postgresFolder } from '../infra/postgres-home.ts';
import { root } from '../setup/paths.mjs';

test('a stack without its secrets fails before it starts anything, and keeps its data', async () => {
  const home = mkdtempSync(join(process.env.TEST_TMP ?? '', 'stack-'));
  const data = join(postgresFolder(home), 'data');
  mkdirSync(data, { recursive: true });
  const env = { ...process.env, HOLDFAST_HOME: home, PORT: String(await freePort()), DATABASE_URL: '' };
  const { code, output } = await new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [join(root, 'tools', 'launcher', 'main.ts'), '--no-examples'],
      { env, timeout: 30_000 },
      (_, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
  expect(output).toContain(`The data of this stack exist (${data}), but its secrets are missing`);
  expect(output).toContain('npm run reset');
  expect([code, readdirSync(data)]).toEqual([1, []]);
  rmSync(postgresFolder(home), { recursive: true });
});
