import { expect, test } from '@jest/globals';
import { register } from 'prom-client';
import { discardDelayOfStart, startDefaultMetrics } from './metrics.js';

const delaySeconds = async (): Promise<number> => {
  // Reading the first of them sets them all.
  await register.getSingleMetric('nodejs_eventloop_lag_seconds')!.get();
  return (await register.getSingleMetric('nodejs_eventloop_lag_max_seconds')!.get()).values[0]!.value;
};

/** Two turns before it, since the first one after a reading has no earlier one to compare with; and two after it. */
async function blockSeconds(duration: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 250));
  const until = performance.now() + duration * 1000;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 250));
}

test('the delay of the event loop at the start is not reported, and a later one is', async () => {
  startDefaultMetrics();
  await blockSeconds(3);
  await discardDelayOfStart();
  expect(await delaySeconds()).toBeLessThan(2);
  await blockSeconds(3);
  expect(await delaySeconds()).toBeGreaterThan(2);
});
