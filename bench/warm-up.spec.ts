import { expect, test } from '@jest/globals';
import { isFlat, warmUp, warmUpInTurns } from './warm-up.ts';

test.each([
  [[], false],
  [[100, 100], false],
  [[100, 98, 96], true],
  [[300, 200, 199], false],
  [[100, 100, 90], false],
])('runs of %j are flat: %s', (seen, flat) => expect(isFlat(seen)).toBe(flat));

test('repeats until three runs are flat', async () => {
  const costs = [900, 500, 300, 290, 285, 100];
  expect(await warmUp(() => Promise.resolve(costs.shift()!))).toEqual({ runs: 5, flat: true });
});

test('ends after ten runs that are never flat', async () => {
  let cost = 1;
  expect(await warmUp(() => Promise.resolve((cost *= 2)))).toEqual({ runs: 10, flat: false });
});

test('two stacks take turns until both are flat, so that neither rests', async () => {
  const order: string[] = [];
  const run = (name: string, costs: number[]) => async (): Promise<number> => {
    order.push(name);
    return costs.shift()!;
  };
  const measures = [run('A', [100, 100, 100, 100]), run('B', [300, 100, 100, 100])];
  expect(await warmUpInTurns(measures)).toEqual([
    { runs: 4, flat: true },
    { runs: 4, flat: true },
  ]);
  expect(order.join('')).toBe('ABABABAB');
});
