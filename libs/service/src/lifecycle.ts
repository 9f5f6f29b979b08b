/** Injection tokens of the logger and the configuration, which startService() provides to every module. */
export const LOGGER = Symbol('logger');
export const CONFIG = Symbol('config');

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

/** Conditions of `/readyz`. Modules add their own to those of startService(). */
export class Readiness {
  private readonly checks: (() => boolean | Promise<boolean>)[] = [];

  addCheck(check: () => boolean | Promise<boolean>): void {
    this.checks.push(check);
  }

  private readonly remarkSources: (() => string[])[] = [];

  /** Adds lines to the response of `/readyz`: notes for the operator that do not make the service unready. */
  addRemarks(remark: () => string[]): void {
    this.remarkSources.push(remark);
  }

  get remarks(): string[] {
    return this.remarkSources.flatMap((remark) => remark());
  }

  async ready(): Promise<boolean> {
    for (const check of this.checks) if (!(await check())) return false;
    return true;
  }
}
