/** The time, as an argument: rules are pure and tests set it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Injection token of the clock. */
export const CLOCK = Symbol('clock');
