import type { ChildProcess } from 'node:child_process';
import type { ChildProcessRegistry } from '../infra/child-process-registry.ts';
import { eventually } from '../infra/ports.ts';
import { hasEnded, rotateLog, spawnProgram, stopProgram, type Program } from '../infra/program.ts';
import { shown, warn } from '../infra/say.ts';
import { nextDelay } from './backoff.ts';

export type State = 'stopped' | 'starting' | 'ready' | 'waiting' | 'paused';

/** A program that has come to wait this long between its starts does not start. */
const hopeless = 6000;

/** A program that is kept running: when it ends by itself it is started again, each time a little later. */
export class Supervised {
  program: Program;
  state: State = 'stopped';
  /** Called whenever the state or the pid has changed. */
  onChange: () => void = () => undefined;
  /** Called each time the program got ready; `again` is false the first time. */
  onReady: (again: boolean) => void = () => undefined;
  readonly #children: ChildProcessRegistry;
  #child: ChildProcess | undefined;
  #wanted = false;
  #delay = 0;
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

  /** With other settings than before, if it does not run and they are given. */
  start(program = this.program): void {
    if (this.#wanted) return;
    this.program = program;
    this.#wanted = true;
    this.#delay = 0;
    this.#spawn();
  }

  /** Stops it for good, in good order; it stays down until start(). */
  async stop(): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#timer);
    if (this.#child) await stopProgram(this.#child, this.program);
    this.#become('stopped');
  }

  /** For trying out failures: SIGKILL, SIGSTOP, SIGCONT. False when there is no process. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): boolean {
    if (this.pid === null || !this.#child?.kill(signal)) return false;
    if (signal === 'SIGSTOP') this.#become('paused');
    if (signal === 'SIGCONT' && this.state === 'paused') this.#become(this.#wasReady ? 'ready' : 'starting');
    return true;
  }

  /** True once ready; false when that took too long, or when it ended so often that waiting is of no use. */
  async untilReady(milliseconds: number): Promise<boolean> {
    await eventually(() => this.state === 'ready' || this.#delay > hopeless || !this.#wanted, milliseconds);
    return this.state === 'ready';
  }

  #spawn(): void {
    const began = Date.now();
    const child = spawnProgram(this.program, this.#children);
    this.#child = child;
    this.#become('starting');
    const ended = (reason: string): void => this.#ended(reason, Date.now() - began);
    child.once('error', (error) => child.pid === undefined && ended(error.message));
    child.once('exit', (code, signal) => ended(signal ? `killed by ${signal}` : `exit code ${code}`));
    void this.#watch(child);
  }

  async #watch(child: ChildProcess): Promise<void> {
    while (child === this.#child && !hasEnded(child)) {
      const ready = await this.program.ready();
      if (child !== this.#child || hasEnded(child) || !this.#wanted) return;
      if (ready && this.state === 'starting') {
        const again = this.#wasReady;
        this.#wasReady = true;
        this.#become('ready');
        return this.onReady(again);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  #ended(reason: string, lived: number): void {
    if (!this.#wanted) return this.#become('stopped');
    this.#delay = nextDelay(this.#delay, lived);
    warn(
      `${this.program.name} ended (${reason}); starting it again in ${this.#delay / 1000} s. Its log: ${shown(this.program.logFile)}`,
    );
    this.#timer = setTimeout(() => this.#spawn(), this.#delay);
    this.#become('waiting');
  }

  #become(state: State): void {
    this.state = state;
    this.onChange();
  }
}
