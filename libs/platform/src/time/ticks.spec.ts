import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { everyTick, untilTick } from './ticks.js';

it('waits until a multiple of the interval, the next one but for a quarter of an interval before it', () => {
  fc.assert(
    fc.property(fc.constantFrom(4, 250, 1000), fc.nat(), (intervalMs, nowMs) => {
      const waitMs = untilTick(intervalMs, nowMs);
      expect((nowMs + waitMs) % intervalMs).toBe(0);
      expect(waitMs).toBeGreaterThanOrEqual(intervalMs / 4);
      expect(waitMs).toBeLessThan(1.25 * intervalMs);
    }),
  );
});

it('runs at each multiple until it is stopped', async () => {
  const runsAtMs: number[] = [];
  const ticking = everyTick(20, () => void runsAtMs.push(Date.now()));
  while (runsAtMs.length < 3) await sleep(5);
  ticking.stop();
  await sleep(50);
  expect(runsAtMs).toHaveLength(3);
});
