import { Logger, SetMetadata, type INestApplicationContext } from '@nestjs/common';
import { decoratedMethods } from '@holdfast/messaging';
import { CLOCK, LogBudget, mayExpire, type Clock } from '@holdfast/platform';
import { jobLastSuccess, jobRuns, jobSeconds } from './metrics.js';

export interface IntervalOptions {
  /** Names the job in metrics and logs, once per service: `expirations`. */
  name: string;
  /** From the start of a run to the start of the next; a run that takes longer delays the next one. */
  intervalMs: number;
  /** Begins the log line of a run that failed: what failed and what that means, without the error itself. */
  failure: string;
  /** Runs as soon as the service has started, instead of after the first interval. */
  runAtStart?: boolean;
  /** For jobs that expire or delete for ever: no run while this machine's clock is disputed (mayExpire). */
  requiresAgreedClock?: boolean;
  /** From a failed run to the next one. By default 1 s, doubled with each failure, and never above `intervalMs`. */
  retryAfterMs?: number;
}

/** `stopping()` becomes true when the service stops: a long run looks at it between its steps and returns. */
export type IntervalRun = (stopping: () => boolean) => Promise<unknown>;

const intervalKey = Symbol('Interval');
const firstRetryMs = 1000;
/** Replicas that were started together spread their runs by as much of the interval, so that they do not collide. */
const jitter = 0.1;
/** Lines for runs that fail one after the other, per second. */
const failureLinesPerSecond = 1 / 60;

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
  /** Resolves when no run is left. */
  stop(): Promise<void>;
}

/** Starts the jobs that `@Interval` declares. @throws when two of them have the same name */
export function startIntervals(app: INestApplicationContext): RunningIntervals {
  const clock = app.get<Clock>(CLOCK, { strict: false });
  const jobs = new Map<string, IntervalJob>();
  for (const { metadata, label, invoke } of decoratedMethods<IntervalOptions>(app, intervalKey)) {
    if (jobs.has(metadata.name)) throw new Error(`${label} and another method are both called ${metadata.name}`);
    jobs.set(metadata.name, new IntervalJob(metadata, invoke as IntervalRun, () => mayExpire(clock)));
  }
  for (const job of jobs.values()) job.start();
  return { stop: async () => void (await Promise.all([...jobs.values()].map((job) => job.stop()))) };
}

export class IntervalJob {
  private readonly logger: Logger;
  private readonly lines = new LogBudget(failureLinesPerSecond);
  private timer?: NodeJS.Timeout;
  private running?: Promise<void>;
  private stopped = false;
  private failures = 0;

  constructor(
    private readonly options: IntervalOptions,
    private readonly run: IntervalRun,
    private readonly clockIsAgreed: () => boolean = () => true,
  ) {
    this.logger = new Logger(options.name);
  }

  start(): void {
    this.schedule(this.options.runAtStart ? 0 : this.jittered());
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private schedule(delayMs: number): void {
    if (!this.stopped) this.timer = setTimeout(() => void (this.running = this.tick()), delayMs);
  }

  private async tick(): Promise<void> {
    const startedAtMs = performance.now();
    if (!this.options.requiresAgreedClock || this.clockIsAgreed()) await this.runOnce();
    this.schedule(this.failures > 0 ? this.retryMs() : Math.max(0, startedAtMs + this.jittered() - performance.now()));
  }

  /** Never throws. */
  private async runOnce(): Promise<void> {
    const { name, failure } = this.options;
    const stopTimer = jobSeconds.startTimer({ job: name });
    try {
      await this.run(() => this.stopped);
      jobRuns.inc({ job: name, outcome: 'succeeded' });
      jobLastSuccess.set({ job: name }, Date.now() / 1000);
      if (this.failures > 0) this.logger.log(`succeeded again after ${this.failures} failed runs`);
      this.failures = 0;
    } catch (error) {
      this.failures += 1;
      jobRuns.inc({ job: name, outcome: 'failed' });
      if (this.lines.take()) this.logger.warn(`${failure}. Retrying in ${this.retryMs() / 1000} s: ${String(error)}`);
    } finally {
      stopTimer();
    }
  }

  private jittered(): number {
    return this.options.intervalMs * (1 + jitter * (2 * Math.random() - 1));
  }

  private retryMs(): number {
    const { intervalMs, retryAfterMs = firstRetryMs * 2 ** Math.min(this.failures - 1, 30) } = this.options;
    return Math.min(intervalMs, retryAfterMs);
  }
}
