/**
 * How this machine's clock compares with PostgreSQL's and with those of other services. `agreed`: none contradicts it.
 * `disputed`: some do, and either clock may be wrong, so nothing expires irrevocably. `wrong`: all do, so the service
 * is not ready (docs/adr/0026-clocks.md).
 */
export type ClockTrust = 'agreed' | 'disputed' | 'wrong';

/** The time is injected, so that rules are pure and tests can set it. */
export interface Clock {
  now(): Date;
  trust(): ClockTrust;
}

/** The machine's own clock, without comparison. */
export const systemClock: Clock = { now: () => new Date(), trust: () => 'agreed' };

/** Whether irrevocable expirations and deletions may run. */
export function mayExpire(clock: Clock): boolean {
  return clock.trust() === 'agreed';
}

/**
 * For tests: shifts the time of this process by `seconds`. It replaces `Date`, since libraries (oidc-provider, jose)
 * use it directly, and a test in which only some of the code sees the shift proves nothing.
 */
export function shiftTime(seconds: number): void {
  const Real = globalThis.Date;
  const now = (): number => Real.now() + seconds * 1000;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new Real(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
  });
}

/** Injection token of the clock. */
export const CLOCK = Symbol('clock');
