import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Shutdown } from './parts.js';
import { repeat } from './repeat.js';

it('does one round at a time, goes on after one that failed, and stops when the last has ended', async () => {
  const shutdown = new Shutdown();
  const failures: unknown[] = [];
  let [begun, under, most, ended] = [0, 0, 0, 0];
  repeat(shutdown, {
    every: 1,
    work: async (stopping) => {
      begun += 1;
      most = Math.max(most, (under += 1));
      await sleep(5);
      under -= 1;
      if (begun === 2) throw new Error('the second');
      if (begun >= 4) while (!stopping()) await sleep(1);
      ended += 1;
    },
    failed: (error) => void failures.push(error),
  });
  while (begun < 4) await sleep(1);
  await shutdown.run();
  expect([begun, under, most, ended, failures]).toEqual([4, 0, 1, 3, [new Error('the second')]]);
  await sleep(10);
  expect(begun).toBe(4);
});

it('takes a round that throws at once for one that failed', async () => {
  const shutdown = new Shutdown();
  let failures = 0;
  repeat(shutdown, {
    every: 1,
    work: () => {
      throw new Error('at once');
    },
    failed: () => void (failures += 1),
  });
  while (failures < 3) await sleep(1);
  await shutdown.run();
});

it('leaves rounds out while they are not permitted, and goes on when they are', async () => {
  let permitted = false;
  let rounds = 0;
  const shutdown = new Shutdown();
  repeat(shutdown, {
    every: 5,
    permitted: () => permitted,
    work: async () => void (rounds += 1),
    failed: () => undefined,
  });
  await sleep(50);
  expect(rounds).toBe(0);
  permitted = true;
  while (rounds < 2) await sleep(1);
  await shutdown.run();
});
