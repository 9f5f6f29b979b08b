import { Gauge } from 'prom-client';
import { within } from '@holdfast/platform';

/** Injection tokens of the logger and the configuration, which startService() provides to every module. */
export const LOGGER = Symbol('logger');
export const CONFIG = Symbol('config');
/** The database with every connection of the pool: also those that `ServiceOptions.database.reserved` keeps free. */
export const WHOLE_DATABASE = Symbol('whole database');

/** Steps that run at shutdown, in the order in which they were added, before the connections close. */
export class Shutdown {
  private readonly steps: (() => Promise<void> | void)[] = [];

  before(step: () => Promise<void> | void): void {
    this.steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.steps) await step();
  }
}

/** How long a dependency may take to respond before it counts as unavailable. */
const dependencyTimeoutMs = 2000;

const dependencyUp = new Gauge({
  name: 'holdfast_dependency_up',
  help: 'Whether a server that this service needs could be used at the last check: 1 or 0',
  labelNames: ['dependency'],
});

export interface ReadinessReport {
  /**
   * Whether a load balancer should send requests to this replica. An unavailable dependency does not change it, once
   * the replica was ready: all replicas share it, so all would leave the load balancer at once, and callers would get
   * its error page instead of a 503 with Retry-After (docs/adr/0046).
   */
  ready: boolean;
  /** Whether it is ready and every dependency responds, for callers that can choose another replica. */
  healthy: boolean;
  /** Notes for the operator: the problems, and what is no fault, such as the state of a rotation. */
  remarks: string[];
  /** What needs somebody's attention; the first ones name the unavailable dependencies. */
  problems: string[];
}

/** The state of this replica, for `/readyz` and for callers. Modules add conditions to those of startService(). */
export class Readiness {
  private readonly checks: (() => boolean)[] = [];
  private readonly dependencies: { name: string; use: () => Promise<string | undefined> }[] = [];
  private readonly problemSources: (() => string[])[] = [];
  private readonly noteSources: (() => string[])[] = [];
  private started = false;
  private stopping = false;

  /** Adds a condition of this replica alone, such as state that it has loaded. */
  addCheck(check: () => boolean): void {
    this.checks.push(check);
  }

  /**
   * Adds a server that all replicas share. `use` uses it, and resolves with the reason if it responds and cannot be
   * used. It does not respond if `use` rejects.
   */
  addDependency(name: string, use: () => Promise<string | undefined>): void {
    this.dependencies.push({ name, use });
  }

  /** Adds lines to the response of `/readyz` about faults that do not make the service unready. */
  addProblems(source: () => string[]): void {
    this.problemSources.push(source);
  }

  /** Adds lines to the response of `/readyz` that the operator waits for, and that are no fault. */
  addNotes(source: () => string[]): void {
    this.noteSources.push(source);
  }

  private get problems(): string[] {
    return this.problemSources.flatMap((source) => source());
  }

  /** What was added, without the dependencies, which only report() asks. */
  get remarks(): string[] {
    return [...this.problems, ...this.noteSources.flatMap((source) => source())];
  }

  /** From now on the replica is not ready: the first step of its shutdown. */
  stop(): void {
    this.stopping = true;
  }

  async report(): Promise<ReadinessReport> {
    const states = await Promise.all(
      this.dependencies.map(async ({ name, use }) => {
        const problem = await within(dependencyTimeoutMs, use()).then(
          (reason) => reason && `${name} cannot be used: ${reason}`,
          () => `${name} does not respond`,
        );
        dependencyUp.set({ dependency: name }, problem ? 0 : 1);
        return problem;
      }),
    );
    const works = !this.stopping && this.checks.every((check) => check());
    const unavailable = states.filter((problem) => problem !== undefined);
    const healthy = works && unavailable.length === 0;
    this.started ||= healthy;
    return {
      ready: works && this.started,
      healthy,
      remarks: [...unavailable, ...this.remarks],
      problems: [...unavailable, ...this.problems],
    };
  }
}
