/**
 * What others say of this machine's clock. `agreed`: nobody contradicts it. `disputed`: somebody does, and it may be
 * their clock that is wrong, so nothing is made to end for ever. `wrong`: it is ours, so it decides nothing
 * (docs/adr/0026-clocks.md).
 */
export type ClockTrust = 'agreed' | 'disputed' | 'wrong';

/** The time, as an argument: rules are pure and tests set it. */
export interface Clock {
  now(): Date;
  trust(): ClockTrust;
}

/** The machine's own clock, compared with nobody's. */
export const systemClock: Clock = { now: () => new Date(), trust: () => 'agreed' };

/** Whether work that makes something end for ever may run: deletions and expirations cannot be taken back. */
export function mayExpire(clock: Clock): boolean {
  return clock.trust() === 'agreed';
}

/**
 * For tests: moves the time of this process by `seconds`, for ever. The whole process and not just the clock, since
 * libraries (oidc-provider, jose) ask `Date` themselves, and a session that ran out by one and not by the other proves
 * nothing.
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
