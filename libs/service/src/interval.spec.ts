import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Injectable, Logger, Module, type DynamicModule, type LoggerService, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import type { Statement } from '@holdfast/data';
import { CLOCK } from '@holdfast/platform';
import { DueChecks } from './due-checks.js';
import { Interval, IntervalJob, startIntervals } from './interval.js';
import { register } from './metrics.js';

const lines: string[] = [];
const collect = (line: unknown) => void lines.push(String(line));
const collector: LoggerService = { log: collect, warn: collect, error: collect };
Logger.overrideLogger(collector);

const options = { intervalMs: 1, failure: 'Failed to clean up' };

it('runs once at a time, continues after a failed run, and stops when the last run has ended', async () => {
  let [begun, running, maxRunning, ended] = [0, 0, 0, 0];
  const job = new IntervalJob({ ...options, name: 'one at a time' }, async (stopping) => {
    begun += 1;
    maxRunning = Math.max(maxRunning, (running += 1));
    await sleep(5);
    running -= 1;
    if (begun === 2) throw new Error('the second');
    if (begun >= 4) while (!stopping()) await sleep(1);
    ended += 1;
  });
  job.start();
  while (begun < 4) await sleep(1);
  await job.stop();
  expect([begun, running, maxRunning, ended]).toEqual([4, 0, 1, 3]);
  await sleep(10);
  expect(begun).toBe(4);
});

it('logs the first of several failures and the next success, and counts every run', async () => {
  lines.length = 0;
  const startedAtS = Date.now() / 1000 - 0.001;
  let runs = 0;
  const job = new IntervalJob({ ...options, name: 'failing' }, () => {
    runs += 1;
    if (runs <= 3) throw new Error(`failure ${runs}`);
    return Promise.resolve();
  });
  job.start();
  while (runs < 5) await sleep(1);
  await job.stop();
  expect(lines).toEqual([
    'Failed to clean up. Retrying in 0.001 s: Error: failure 1',
    'succeeded again after 3 failed runs',
  ]);
  const metrics = await register.metrics();
  expect(metrics).toContain('holdfast_job_runs_total{job="failing",outcome="failed"} 3');
  expect(metrics).toContain(`holdfast_job_runs_total{job="failing",outcome="succeeded"} ${runs - 3}`);
  const lastOf = (outcome: string) =>
    Number(RegExp(`^holdfast_job_last_${outcome}_timestamp_seconds\\{job="failing"\\} (\\S+)$`, 'm').exec(metrics)![1]);
  expect(lastOf('failure')).toBeGreaterThan(startedAtS);
  expect(lastOf('success')).toBeGreaterThanOrEqual(lastOf('failure'));
});

it('retries a failed run before the next interval, later after each failure', async () => {
  const startedAtMs: number[] = [];
  const job = new IntervalJob(
    { ...options, name: 'retrying', intervalMs: 60_000, runAtStart: true, retryAfterMs: 10 },
    () => {
      startedAtMs.push(performance.now());
      return startedAtMs.length < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve();
    },
  );
  job.start();
  while (startedAtMs.length < 3) await sleep(1);
  await sleep(50);
  await job.stop();
  expect(startedAtMs).toHaveLength(3);
});

it('does not run while the clock is disputed, and continues when it is agreed', async () => {
  let agreed = false;
  let runs = 0;
  const job = new IntervalJob(
    { ...options, name: 'expiring', requiresAgreedClock: true },
    () => Promise.resolve((runs += 1)),
    () => agreed,
  );
  job.start();
  await sleep(50);
  expect(runs).toBe(0);
  agreed = true;
  while (runs < 2) await sleep(1);
  await job.stop();
});

describe('a job that says when it has something to do', () => {
  /** Runs the job until it has had all answers and has run so often, and a little longer. @returns how often it ran */
  const runsOf = async (answers: (boolean | Error)[], expected: number, run?: (count: number) => void) => {
    let asked = 0;
    let runs = 0;
    const isDue = async () => {
      const answer = answers[asked]!;
      asked = Math.min(asked + 1, answers.length - 1);
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const count = async () => {
      runs += 1;
      run?.(runs);
    };
    const job = new IntervalJob({ ...options, name: 'asking', intervalMs: 4, due: 'true' }, count, undefined, {
      isDue,
    });
    job.start();
    while (asked < answers.length - 1 || runs < expected) await sleep(1);
    await sleep(20);
    await job.stop();
    return runs;
  };

  it('runs at first, while there is something to do, and once after that', async () => {
    expect(await runsOf([false, false, true, true, false], 4)).toBe(4);
  });

  it('fails when nobody says whether there is, and runs afterwards', async () => {
    lines.length = 0;
    expect(await runsOf([false, new Error('no database'), false], 2)).toBe(2);
    expect(lines).toContainEqual(expect.stringContaining('Failed to clean up. Retrying in'));
    expect(lines).toContainEqual(expect.stringContaining('no database'));
  });

  it('runs again after a failed run, although there seems to be nothing to do', async () => {
    const failTwice = (count: number) => {
      if (count <= 2) throw new Error('not yet');
    };
    expect(await runsOf([true, false], 3, failTwice)).toBe(3);
  });
});

describe('the checks of several jobs', () => {
  const conditions = new Map([
    ['first', '$1 > now()'],
    ['second', 'EXISTS (SELECT FROM work)'],
  ]);
  const asked: unknown[] = [];
  const checksWith = (names: (string | null)[]) =>
    new DueChecks(
      {
        rows: async <Row>({ text }: Statement, values?: unknown[]) => {
          asked.push([text, values]);
          await sleep(1);
          return [{ names, ms: 1234 }] as Row[];
        },
      },
      { now: () => new Date(0) },
      conditions,
    );

  it('are one statement when they ask together, and each gets its answer', async () => {
    asked.length = 0;
    const checks = checksWith(['first', null]);
    expect(await Promise.all([checks.isDue('first'), checks.isDue('second')])).toEqual([true, false]);
    expect(asked).toEqual([
      [
        expect.stringContaining(
          "ARRAY[CASE WHEN $1 > now() THEN 'first' END, CASE WHEN EXISTS (SELECT FROM work) THEN 'second' END]",
        ),
        [new Date(0)],
      ],
    ]);
  });

  it('bring the time of PostgreSQL in the same statement', async () => {
    asked.length = 0;
    const checks = checksWith(['first', null]);
    const [, time] = await Promise.all([checks.isDue('first'), checks.databaseTime()]);
    expect(asked).toHaveLength(1);
    expect(time.remoteMs).toBe(1234);
    expect(time.receivedAtMs).toBeGreaterThan(time.sentAtMs);
  });

  it('are asked again by those who ask later', async () => {
    asked.length = 0;
    const checks = checksWith([null, 'second']);
    expect(await checks.isDue('second')).toBe(true);
    expect(await checks.isDue('first')).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('one whose condition fails stops no other, and an unavailable database stops all', async () => {
    const denied = Object.assign(new Error('permission denied for table work'), { code: '42501' });
    const down = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const failing = (error: Error) =>
      new DueChecks(
        {
          rows: <Row>({ text }: Statement) =>
            text.includes('work') || error === down
              ? Promise.reject(error)
              : Promise.resolve([{ names: ['first'], ms: 1234 }] as Row[]),
        },
        { now: () => new Date(0) },
        conditions,
      );
    const checks = failing(denied);
    expect(await checks.isDue('first')).toBe(true);
    await expect(checks.isDue('second')).rejects.toThrow('permission denied');
    await expect(failing(down).isDue('first')).rejects.toThrow('ECONNREFUSED');
  });
});

@Injectable()
class Cleanup {
  readonly runs: string[] = [];

  @Interval({ ...options, name: 'cleanup', runAtStart: true, intervalMs: 60_000 })
  async clean(): Promise<void> {
    await Promise.resolve();
    this.runs.push('clean');
  }
}

@Injectable()
class SameName {
  @Interval({ ...options, name: 'cleanup' })
  clean(): Promise<void> {
    return Promise.resolve();
  }
}

@Module({})
class Jobs {}

const clock = { now: () => new Date(), trust: () => 'agreed' };
const application = (...providers: Type[]) => {
  const module: DynamicModule = {
    module: Jobs,
    imports: [DiscoveryModule],
    providers: [...providers, { provide: CLOCK, useValue: clock }],
  };
  return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
};

it('finds the decorated methods of providers and runs them on their instance', async () => {
  const app = await application(Cleanup);
  const intervals = startIntervals(app);
  const { runs } = app.get(Cleanup);
  while (runs.length === 0) await sleep(1);
  await intervals.stop();
  expect(runs).toEqual(['clean']);
  await app.close();
});

it('does not start when two jobs have the same name', async () => {
  const app = await application(Cleanup, SameName);
  expect(() => startIntervals(app)).toThrow('SameName.clean and another method are both called cleanup');
  await app.close();
});

it('says for an operator what has failed for ten seconds, and why, until it succeeds', async () => {
  let error: Error | undefined = new Error('permission denied');
  let nowMs = 0;
  let runs = 0;
  const untilRunAgain = async () => {
    for (const before = runs; runs < before + 2;) await sleep(1);
  };
  const job = new IntervalJob(
    { ...options, name: 'remarked', intervalMs: 5, retryAfterMs: 5 },
    () => {
      runs += 1;
      return error ? Promise.reject(error) : Promise.resolve();
    },
    undefined,
    undefined,
    () => nowMs,
  );
  job.start();
  await untilRunAgain();
  expect(job.remark()).toBeUndefined();
  nowMs = 12_000;
  expect(job.remark()).toBe('the job remarked has failed for 12 s: Error: permission denied');
  error = undefined;
  await untilRunAgain();
  expect(job.remark()).toBeUndefined();
  await job.stop();
});
