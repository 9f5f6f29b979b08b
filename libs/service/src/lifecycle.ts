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
  help: 'Whether a server that this service needs responded at the last check: 1 or 0',
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
  private readonly dependencies: { name: string; responds: () => Promise<boolean> }[] = [];
  private readonly problemSources: (() => string[])[] = [];
  private readonly noteSources: (() => string[])[] = [];
  private started = false;
  private stopping = false;

  /** Adds a condition of this replica alone, such as state that it has loaded. */
  addCheck(check: () => boolean): void {
    this.checks.push(check);
  }

  /** Adds a server that all replicas share. A rejection of `responds` counts as false. */
  addDependency(name: string, responds: () => Promise<boolean>): void {
    this.dependencies.push({ name, responds });
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
      this.dependencies.map(async ({ name, responds }) => {
        const up = await within(dependencyTimeoutMs, responds()).catch(() => false);
        dependencyUp.set({ dependency: name }, up ? 1 : 0);
        return { name, up };
      }),
    );
    const works = !this.stopping && this.checks.every((check) => check());
    const away = states.filter(({ up }) => !up);
    const healthy = works && away.length === 0;
    this.started ||= healthy;
    const unavailable = away.map(({ name }) => `${name} does not respond`);
    return {
      ready: works && this.started,
      healthy,
      remarks: [...unavailable, ...this.remarks],
      problems: [...unavailable, ...this.problems],
    };
  }
}
