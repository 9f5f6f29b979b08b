/** Injection tokens of what startService() provides to every module of a service. */
export const LOGGER = Symbol('logger');
export const CONFIG = Symbol('config');

/** Work that stops before the connections close, in the order in which it was added. */
export class Shutdown {
  private readonly steps: (() => Promise<void> | void)[] = [];

  before(step: () => Promise<void> | void): void {
    this.steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.steps) await step();
  }
}

/** Conditions of being ready, besides NATS and the database: each part adds its own. */
export class Readiness {
  private readonly checks: (() => boolean | Promise<boolean>)[] = [];

  addCheck(check: () => boolean | Promise<boolean>): void {
    this.checks.push(check);
  }

  private readonly remarkSources: (() => string[])[] = [];

  /**
   * What an operator should know though the service may be sent work: it stands in the answer of `/readyz`, one line
   * each.
   */
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
