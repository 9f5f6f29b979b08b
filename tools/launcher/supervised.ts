import type { ChildProcess } from 'node:child_process';
import type { ChildProcessRegistry } from '../infra/child-process-registry.ts';
import { displayPath, warn } from '../infra/console.ts';
import { eventually } from '../infra/ports.ts';
import { hasEnded, rotateLog, spawnProgram, stopProgram, type Program } from '../infra/program.ts';
import { nextDelayMs } from './backoff.ts';

export type State = 'stopped' | 'starting' | 'ready' | 'waiting' | 'paused';

/** With a longer delay between its starts, a program is taken as unable to start. */
const giveUpDelayMs = 6000;

/** A program that is kept running: when it ends, it is restarted with growing delays. */
export class Supervised {
  program: Program;
  state: State = 'stopped';
  /** Called whenever the state or the pid has changed. */
  onChange: () => void = () => undefined;
  /** Called each time the program becomes ready; `again` is false the first time. */
  onReady: (again: boolean) => void = () => undefined;
  readonly #children: ChildProcessRegistry;
  #child: ChildProcess | undefined;
  #shouldRun = false;
  #delayMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #wasReady = false;

  constructor(program: Program, children: ChildProcessRegistry) {
    this.program = program;
    this.#children = children;
    rotateLog(program.logFile);
  }

  get pid(): number | null {
    return this.#child && !hasEnded(this.#child) ? (this.#child.pid ?? null) : null;
  }

  /** Starts `program`, which may have other settings than before, unless it is running. */
  start(program = this.program): void {
    if (this.#shouldRun) return;
    this.program = program;
    this.#shouldRun = true;
    this.#delayMs = 0;
    this.#spawn();
  }

  /** Stops it gracefully. It stays down until start(). */
  async stop(): Promise<void> {
    this.#shouldRun = false;
    clearTimeout(this.#timer);
    if (this.#child) await stopProgram(this.#child, this.program);
    this.#setState('stopped');
  }

  /** Simulates failures, or makes the program read its configuration again. False when there is no process. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGHUP'): boolean {
    if (this.pid === null || !this.#child?.kill(signal)) return false;
    if (signal === 'SIGSTOP') this.#setState('paused');
    if (signal === 'SIGCONT' && this.state === 'paused') this.#setState(this.#wasReady ? 'ready' : 'starting');
    return true;
  }

  /** True once it is ready; false after the time, or when it has ended so often that it is unable to start. */
  async untilReady(timeoutMs: number): Promise<boolean> {
    await eventually(() => this.state === 'ready' || this.#delayMs > giveUpDelayMs || !this.#shouldRun, timeoutMs);
    return this.state === 'ready';
  }

  #spawn(): void {
    const startedAt = Date.now();
    const child = spawnProgram(this.program, this.#children);
    this.#child = child;
    this.#setState('starting');
    const ended = (reason: string): void => this.#ended(reason, Date.now() - startedAt);
    child.once('error', (error) => child.pid === undefined && ended(error.message));
    child.once('exit', (code, signal) => ended(signal ? `killed by ${signal}` : `exit code ${code}`));
    void this.#watch(child);
  }

  async #watch(child: ChildProcess): Promise<void> {
    while (child === this.#child && !hasEnded(child)) {
      const ready = await this.program.ready();
      if (child !== this.#child || hasEnded(child) || !this.#shouldRun) return;
      if (ready && this.state === 'starting') {
        const again = this.#wasReady;
        this.#wasReady = true;
        this.#setState('ready');
        return this.onReady(again);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #ended(reason: string, ranForMs: number): void {
    if (!this.#shouldRun) return this.#setState('stopped');
    this.#delayMs = nextDelayMs(this.#delayMs, ranForMs);
    const { name, logFile } = this.program;
    warn(`${name} ended (${reason}). Restarting it in ${this.#delayMs / 1000} s. Log: ${displayPath(logFile)}`);
    this.#timer = setTimeout(() => this.#spawn(), this.#delayMs);
    this.#setState('waiting');
  }

  #setState(state: State): void {
    this.state = state;
    this.onChange();
  }
}
