import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { durationClass, percentile } from './durations.js';

describe('percentile', () => {
  it('is within 5 % of the exact one', () => {
    const durations = fc.array(fc.integer({ min: 1, max: 90 * 86_400_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(durations, fc.constantFrom(0.5, 0.95), (given, share) => {
        const classes = new Map<string, number>();
        for (const ms of given) classes.set(durationClass(ms), (classes.get(durationClass(ms)) ?? 0) + 1);
        const exact = given.toSorted((a, b) => a - b)[Math.ceil(share * given.length) - 1]!;
        expect(Math.abs(percentile(classes, share)! - exact)).toBeLessThanOrEqual(0.05 * exact + 1);
      }),
    );
  });

  it('is undefined without any', () => expect(percentile(new Map(), 0.5)).toBeUndefined());

  it('has the class of a millisecond for a claim whose clock was behind that of its offer', () =>
    expect(durationClass(-5)).toBe(durationClass(1)));
});
