import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { RowCounts } from './row-counts.js';

/** A table with a clock: `took` is how long a count takes, in ms. */
function tableOf(rows: number, took = 0) {
  const table = { rows, asked: 0, time: 0, fails: false };
  const counts = new RowCounts(
    (_, limit) => {
      table.asked += 1;
      table.time += took;
      return table.fails ? Promise.reject(new Error('away')) : Promise.resolve(Math.min(limit, table.rows));
    },
    2,
    () => table.time,
  );
  const insert = async (limit: number) => {
    const room = counts.hasRoom('acme', limit);
    await setImmediate();
    if (room) {
      table.rows += 1;
      counts.inserted('acme');
    }
    return room;
  };
  return { table, counts, insert };
}

describe('row counts', () => {
  test('take no more than the limit, and again what there is room for after rows have gone', async () => {
    const { table, insert } = tableOf(0);
    for (let i = 0; i < 10; i += 1) expect(await insert(10)).toBe(true);
    expect(await insert(10)).toBe(false);
    table.rows = 4;
    expect(await insert(10)).toBe(false);
    table.time += 1000;
    await insert(10);
    expect(await insert(10)).toBe(true);
  });

  test('see what others inserted', async () => {
    const { table, insert } = tableOf(0);
    await insert(100);
    table.rows += 99;
    table.time += 1000;
    for (let i = 0; i < 5; i += 1) await insert(100);
    table.time += 1000;
    await insert(100);
    expect(await insert(100)).toBe(false);
  });

  test('count seldom while much is left, and for 1 % of the time at the most', async () => {
    const few = tableOf(0);
    for (let i = 0; i < 1000; i += 1, few.table.time += 1000) await few.insert(1_000_000);
    expect(few.table.asked).toBe(1);
    const full = tableOf(10, 50);
    for (let i = 0; i < 1000; i += 1, full.table.time += 10) await full.insert(10);
    expect(full.table.asked).toBeLessThanOrEqual(3);
  });

  test('go on with what they know when counting fails', async () => {
    const { table, insert } = tableOf(0);
    table.fails = true;
    for (let i = 0; i < 10; i += 1) expect(await insert(10)).toBe(true);
    expect(await insert(10)).toBe(false);
  });

  test('keep so many keys and no more', async () => {
    const { counts } = tableOf(5);
    for (const key of ['a', 'b', 'c']) {
      counts.hasRoom(key, 5);
      await setImmediate();
    }
    expect(['b', 'c', 'a'].map((key) => counts.hasRoom(key, 5))).toEqual([false, false, true]);
  });
});
