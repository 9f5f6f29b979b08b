import { Logger, SetMetadata, type INestApplicationContext } from '@nestjs/common';
import { Database } from '@holdfast/data';
import { decoratedMethods } from '@holdfast/messaging';
import { CLOCK, LogBudget, mayExpire, untilTick, type Clock } from '@holdfast/platform';
import { DueChecks } from './due-checks.js';
import { jobLastFailure, jobLastSuccess, jobRuns, jobSeconds } from './metrics.js';

export interface IntervalOptions {
  /** Unique per service; appears in metrics and logs, such as `expirations`. */
  name: string;
  /** Time between the starts of two runs. A run that takes longer delays the next one. */
  intervalMs: number;
  /** Begins the log line of a failed run: what failed and what it means, without the error itself. */
  failure: string;
  /** Runs when the service has started, instead of after the first interval. */
  runAtStart?: boolean;
  /** For irrevocable expirations and deletions: the job does not run while the clock is disputed (mayExpire). */
  requiresAgreedClock?: boolean;
  /**
   * An SQL expression: whether the job has something to do, in its service's schema. `$1` is the time by the service's
   * clock. It costs one look-up in an index, whatever is stored, and may be true in vain, but never false in vain. All
   * jobs of a process are asked for in one statement, and the job runs only when there is something to do, and once
   * after it, so that its metrics show that nothing is left.
   */
  due?: string;
  /** Time from a failed run to the next one. By default 1 s, doubled with each failure, at most `intervalMs`. */
  retryAfterMs?: number;
}

/** `stopping()` becomes true when the service stops. A long run checks it between its steps and returns. */
export type IntervalRun = (stopping: () => boolean) => Promise<unknown>;

const intervalKey = Symbol('Interval');
const firstRetryMs = 1000;
/** Jobs with intervals up to this one start together, which saves wake-ups. */
const maxTickMs = 1000;
/** Share of a longer interval by which runs vary, so that replicas that were started together do not collide. */
const jitter = 0.1;
/** Log lines per second for consecutive failures. */
const failureLinesPerSecond = 1 / 60;
const remarkedAfterSeconds = 10;

/**
 * Makes a provider's method a periodic job. startService() finds it, runs it while the service runs, one run at a
 * time, and waits for the last run on shutdown. A run that throws is logged, counted and tried again. Every replica
 * runs it: where only one may, the job takes a lock in its transaction (tryLock).
 */
export function Interval(options: IntervalOptions) {
  return <Method extends IntervalRun>(target: object, key: string, descriptor: TypedPropertyDescriptor<Method>): void =>
    void SetMetadata(intervalKey, options)(target, key, descriptor);
}

export interface RunningIntervals {
  /** Resolves when no run is in progress. */
  stop(): Promise<void>;
  /** What an operator should know: jobs that fail, with the reason. */
  remarks(): string[];
  /** Absent when no job says whether it has something to do. */
  checks: DueChecks | undefined;
}

/** Starts the jobs that `@Interval` declares. @throws when two of them have the same name */
export function startIntervals(app: INestApplicationContext): RunningIntervals {
  const clock = app.get<Clock>(CLOCK, { strict: false });
  const methods = decoratedMethods<IntervalOptions>(app, intervalKey);
  const conditions = new Map(
    methods.flatMap(({ metadata: { name, due } }) => (due === undefined ? [] : [[name, due]])),
  );
  const checks =
    conditions.size > 0 ? new DueChecks(app.get(Database, { strict: false }), clock, conditions) : undefined;
  const jobs = new Map<string, IntervalJob>();
  for (const { metadata, label, invoke } of methods) {
    if (jobs.has(metadata.name)) throw new Error(`${label} and another method are both called ${metadata.name}`);
    jobs.set(metadata.name, new IntervalJob(metadata, invoke as IntervalRun, () => mayExpire(clock), checks));
  }
  for (const job of jobs.values()) job.start();
  return {
    stop: async () => void (await Promise.all([...jobs.values()].map((job) => job.stop()))),
    remarks: () => [...jobs.values()].flatMap((job) => job.remark() ?? []),
    checks,
  };
}

export class IntervalJob {
  private readonly logger: Logger;
  private readonly failureLines = new LogBudget(failureLinesPerSecond);
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;
  private stopped = false;
  private failures = 0;
  private failing?: { sinceMs: number; error: unknown };
  /** Nobody knows what there is to do before the first run. */
  private wasDue = true;

  constructor(
    private readonly options: IntervalOptions,
    private readonly run: IntervalRun,
    private readonly clockIsAgreed: () => boolean = () => true,
    private readonly checks?: Pick<DueChecks, 'isDue'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.logger = new Logger(options.name);
  }

  start(): void {
    this.schedule(this.options.runAtStart ? 0 : this.untilNext(performance.now()));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** For the operator, while the job has failed for longer than its servers need to restart. */
  remark(): string | undefined {
    if (!this.failing) return undefined;
    const seconds = Math.round((this.nowMs() - this.failing.sinceMs) / 1000);
    if (seconds < remarkedAfterSeconds) return undefined;
    return `the job ${this.options.name} has failed for ${seconds} s: ${String(this.failing.error)}`;
  }

  private schedule(delayMs: number): void {
    if (!this.stopped) this.timer = setTimeout(() => void (this.running = this.tick()), delayMs);
  }

  private async tick(): Promise<void> {
    const startedAtMs = performance.now();
    if (!this.options.requiresAgreedClock || this.clockIsAgreed()) await this.runOnce();
    this.schedule(this.failures > 0 ? this.retryMs() : this.untilNext(startedAtMs));
  }

  /** Never throws. */
  private async runOnce(): Promise<void> {
    const { name, failure } = this.options;
    const startedAtMs = this.nowMs();
    const stopTimer = jobSeconds.startTimer({ job: name });
    try {
      if (await this.hasWork()) await this.run(() => this.stopped);
      jobRuns.inc({ job: name, outcome: 'succeeded' });
      jobLastSuccess.set({ job: name }, Date.now() / 1000);
      if (this.failures > 0) this.logger.log(`succeeded again after ${this.failures} failed runs`);
      this.failures = 0;
      delete this.failing;
    } catch (error) {
      this.failures += 1;
      this.failing = { sinceMs: this.failing?.sinceMs ?? startedAtMs, error };
      this.wasDue = true;
      jobRuns.inc({ job: name, outcome: 'failed' });
      jobLastFailure.set({ job: name }, Date.now() / 1000);
      if (this.failureLines.take())
        this.logger.warn(`${failure}. Retrying in ${this.retryMs() / 1000} s: ${String(error)}`);
    } finally {
      stopTimer();
    }
  }

  private async hasWork(): Promise<boolean> {
    if (this.options.due === undefined || !this.checks) return true;
    const isDue = await this.checks.isDue(this.options.name);
    const hasWork = isDue || this.wasDue;
    this.wasDue = isDue;
    return hasWork;
  }

  private untilNext(startedAtMs: number): number {
    const { intervalMs } = this.options;
    if (intervalMs <= maxTickMs) return untilTick(intervalMs);
    const jittered = intervalMs * (1 + jitter * (2 * Math.random() - 1));
    return Math.max(0, startedAtMs + jittered - performance.now());
  }

  private retryMs(): number {
    const { intervalMs, retryAfterMs = firstRetryMs * 2 ** Math.min(this.failures - 1, 30) } = this.options;
    return Math.min(intervalMs, retryAfterMs);
  }
}
