/** The time, as an argument: rules are pure and tests set it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/**
 * For tests: moves the time of this process by `seconds`, for ever. The whole process and not just the clock, since
 * libraries (oidc-provider, jose) ask `Date` themselves, and a session that ran out by one and not by the other proves nothing.
 */
export function shiftTime(seconds: number): void {
  const Real = globalThis.Date;
  const now = (): number => Real.now() + seconds * 1000;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new Real(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
  });
}

/** Injection token of the clock. */
export const CLOCK = Symbol('clock');
