import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aheadOf, cautiousMedian, RemoteClock, type ClockReading } from './clock-offset.js';

const delayMs = fc.double({ min: 0, max: 30_000, noNaN: true });
const epochMs = fc.double({ min: -1e12, max: 1e12, noNaN: true });
const journeys = fc.array(fc.record({ waitMs: delayMs, thereMs: delayMs, backMs: delayMs }), {
  minLength: 1,
  maxLength: 20,
});

/** Successive readings of a clock that shows `epochMs` when `performance.now()` is 0. */
function readingsOf(
  epoch: number,
  steps: { waitMs: number; thereMs: number; backMs: number }[],
  from = 0,
): ClockReading[] {
  let time = from;
  return steps.map(({ waitMs, thereMs, backMs }) => {
    const sentAtMs = (time += waitMs);
    const readAtMs = (time += thereMs);
    return { sentAtMs, remoteMs: epoch + readAtMs, receivedAtMs: (time += backMs) };
  });
}

function observed(readings: ClockReading[]) {
  const clock = new RemoteClock();
  readings.forEach((reading) => clock.observe(reading));
  return clock.epoch()!;
}

/** Doubles near today's epoch time are 0.0002 ms apart, and a bound adds several of them. */
const roundingMs = 0.02;

describe('bounds of another clock', () => {
  it('contain the true time, whatever the transit time of the readings', () => {
    fc.assert(
      fc.property(epochMs, journeys, (epoch, steps) => {
        const { earliestMs, latestMs } = observed(readingsOf(epoch, steps));
        expect(earliestMs).toBeLessThanOrEqual(epoch + roundingMs);
        expect(latestMs).toBeGreaterThanOrEqual(epoch - roundingMs);
      }),
    );
  });

  it('are never wider than the fastest of the last eight readings', () => {
    fc.assert(
      fc.property(epochMs, journeys, (epoch, steps) => {
        const { earliestMs, latestMs } = observed(readingsOf(epoch, steps));
        expect(latestMs - earliestMs).toBeLessThanOrEqual(
          Math.min(...steps.slice(-8).map((s) => s.thereMs + s.backMs)) + roundingMs,
        );
      }),
      {
        // Rounding puts the earliest time of the second reading after the latest of the first.
        examples: [
          [
            3.637978807091713e-12,
            [
              { waitMs: 0, thereMs: 0, backMs: 22578.5379284559 },
              { waitMs: 0, thereMs: 29695.07766011808, backMs: 0 },
            ],
          ],
        ],
      },
    );
  });

  it('follow the other clock when it is set', () => {
    fc.assert(
      fc.property(
        epochMs,
        journeys,
        journeys,
        fc.double({ min: 90_000, max: 1e9, noNaN: true }),
        fc.boolean(),
        (epoch, before, after, step, back) => {
          const first = readingsOf(epoch, before);
          const epochAfter = epoch + (back ? -step : step);
          const { earliestMs, latestMs } = observed([
            ...first,
            ...readingsOf(epochAfter, after, first.at(-1)!.receivedAtMs),
          ]);
          expect(earliestMs).toBeLessThanOrEqual(epochAfter + roundingMs);
          expect(latestMs).toBeGreaterThanOrEqual(epochAfter - roundingMs);
        },
      ),
    );
  });
});

it('a clock is ahead by its distance from the bounds, and by 0 within them', () => {
  const bounds = { earliestMs: 100, latestMs: 120 };
  expect([99, 100, 110, 120, 130].map((epoch) => aheadOf(epoch, bounds))).toEqual([-1, 0, 0, 0, 10]);
});

describe('the cautious median', () => {
  it.each([
    [[], undefined],
    [[7], 7],
    [[0, 9000], 0],
    [[8000, 9000], 8000],
    [[-9000, -8000], -8000],
    [[-9000, 9000], 0],
    [[0, 1, 9e9], 1],
  ])('of %j is %s', (values, median) => expect(cautiousMedian(values)).toBe(median));

  it('does not depend on a minority', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 9 }),
        fc.array(fc.integer(), { maxLength: 9 }),
        (right, wrong) => {
          const median = cautiousMedian([...right, ...wrong.slice(0, right.length)])!;
          expect(Math.abs(median)).toBeLessThanOrEqual(50);
        },
      ),
    );
  });
});
