import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { startTimeOf } from '../setup/processes.mjs';
import { stopOrphans } from './child-process-registry.ts';
import { eventually } from './ports.ts';

const owner = fileURLToPath(new URL('./child-process-registry.fixture.ts', import.meta.url));

/** A launcher of one child that ignores SIGTERM and the end of its stdin. */
async function launch(folder: string): Promise<{ launcher: ChildProcess; child: number; reaper: number }> {
  const launcher = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', owner, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(launcher.stdout, 'data')) as [Buffer];
  return { launcher, ...(JSON.parse(line.toString()) as { child: number; reaper: number }) };
}

const ends = (pid: number): Promise<boolean> => eventually(() => startTimeOf(pid) === undefined, 60_000);
const folder = (): string => mkdtempSync(join(process.env.TEST_TMP ?? '', 'child-processes-'));

test('children end when their launcher is killed with kill -9', async () => {
  const { launcher, child, reaper } = await launch(folder());
  launcher.kill('SIGKILL');
  expect(await ends(child)).toBe(true);
  expect(await ends(reaper)).toBe(true);
});

test('children end at the next start when the reaper is killed as well', async () => {
  const home = folder();
  const { launcher, child, reaper } = await launch(home);
  process.kill(reaper, 'SIGKILL');
  launcher.kill('SIGKILL');
  await ends(launcher.pid ?? 0);
  expect(startTimeOf(child)).toBeDefined();
  await stopOrphans(home);
  expect(startTimeOf(child)).toBeUndefined();
});
