import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

/** Runs in a process of its own, since the shift cannot be undone. */
function shifted(seconds: number, expression: string): unknown {
  const clock = fileURLToPath(new URL('./clock.ts', import.meta.url));
  const program = [
    'const before = new Date(0)',
    `const { shiftTime } = await import(${JSON.stringify(clock)})`,
    `shiftTime(${seconds})`,
    `process.stdout.write(JSON.stringify(${expression}))`,
  ].join('; ');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  );
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('a shifted time', () => {
  it.each([86_400, -3600])('is %s seconds off in every function of Date', (seconds) => {
    const begun = Date.now();
    const times = shifted(seconds, '[Date.now(), new Date().getTime(), Date.parse(Date())]') as number[];
    const ended = Date.now();
    for (const time of times) {
      expect(time - seconds * 1000).toBeGreaterThanOrEqual(begun - 1000);
      expect(time - seconds * 1000).toBeLessThanOrEqual(ended);
    }
  });

  it('does not shift explicit times', () => {
    const named =
      '[new Date(0).toISOString(), new Date("2026-11-21T09:30:00.000Z").toISOString(), Date.UTC(2026, 0), ' +
      'before instanceof Date, new Date() instanceof Date]';
    expect(shifted(86_400, named)).toEqual([
      '1970-01-01T00:00:00.000Z',
      '2026-11-21T09:30:00.000Z',
      Date.UTC(2026, 0),
      true,
      true,
    ]);
  });
});
