import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { ChildProcessRegistry } from '../infra/child-process-registry.ts';
import { eventually } from '../infra/ports.ts';
import { Supervised } from './supervised.ts';

const folder = mkdtempSync(join(process.env.TEST_TMP ?? '', 'supervised-'));
const children = new ChildProcessRegistry(folder);
const lines: string[] = [];

beforeAll(() => {
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});
afterAll(() => children.stopReaper());

function supervise(name: string, code: string): Supervised {
  return new Supervised(
    {
      name,
      command: process.execPath,
      args: ['-e', code],
      env: {},
      cwd: folder,
      logFile: join(folder, `${name}.log`),
      stopSignal: 'SIGTERM',
      stopTimeoutMs: 300,
      ready: async () => true,
    },
    children,
  );
}

test('restarts a program that has ended, with one line that names the reason', async () => {
  const program = supervise('steady', 'setInterval(() => {}, 1000)');
  const ready: boolean[] = [];
  program.onReady = (again) => void ready.push(again);
  program.start();
  await program.untilReady(60_000);
  const { pid } = program;
  program.signal('SIGKILL');
  expect(await eventually(() => program.pid !== pid && program.state === 'ready', 60_000)).toBe(true);
  expect(ready).toEqual([false, true]);
  expect(
    lines.filter((line) => line.startsWith('steady ended (killed by SIGKILL). Restarting it in 0.2 s.')),
  ).toHaveLength(1);
  await program.stop();
});

test('does not restart a stopped program, and kills one that ignores its stop signal, even if paused', async () => {
  const unstoppable = supervise('ignores-sigterm', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)');
  unstoppable.start();
  await unstoppable.untilReady(60_000);
  unstoppable.signal('SIGSTOP');
  expect(unstoppable.state).toBe('paused');
  await unstoppable.stop();
  // A restart would come after 0.2 s.
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect([unstoppable.state, unstoppable.pid]).toEqual(['stopped', null]);
});
