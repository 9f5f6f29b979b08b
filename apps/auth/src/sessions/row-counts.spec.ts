import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { RowCounts } from './row-counts.js';

/** A table with a clock of its own, in which a count takes `countMs`. */
function tableOf(rows: number, countMs = 0) {
  const table = { rows, counts: 0, nowMs: 0, fails: false };
  const counts = new RowCounts(
    (_, limit) => {
      table.counts += 1;
      table.nowMs += countMs;
      return table.fails ? Promise.reject(new Error('unavailable')) : Promise.resolve(Math.min(limit, table.rows));
    },
    2,
    () => table.nowMs,
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
  test('admit rows up to the limit, and more after rows were deleted', async () => {
    const { table, insert } = tableOf(0);
    for (let i = 0; i < 10; i += 1) expect(await insert(10)).toBe(true);
    expect(await insert(10)).toBe(false);
    table.rows = 4;
    expect(await insert(10)).toBe(false);
    table.nowMs += 1000;
    await insert(10);
    expect(await insert(10)).toBe(true);
  });

  test('include rows that other replicas inserted', async () => {
    const { table, insert } = tableOf(0);
    await insert(100);
    table.rows += 99;
    table.nowMs += 1000;
    for (let i = 0; i < 5; i += 1) await insert(100);
    table.nowMs += 1000;
    await insert(100);
    expect(await insert(100)).toBe(false);
  });

  test('count once while most of the limit is left, and for at most 1 % of the time', async () => {
    const empty = tableOf(0);
    for (let i = 0; i < 1000; i += 1, empty.table.nowMs += 1000) await empty.insert(1_000_000);
    expect(empty.table.counts).toBe(1);
    const full = tableOf(10, 50);
    for (let i = 0; i < 1000; i += 1, full.table.nowMs += 10) await full.insert(10);
    expect(full.table.counts).toBeLessThanOrEqual(3);
  });

  test('continue with the last estimate when counting fails', async () => {
    const { table, insert } = tableOf(0);
    table.fails = true;
    for (let i = 0; i < 10; i += 1) expect(await insert(10)).toBe(true);
    expect(await insert(10)).toBe(false);
  });

  test('evict the least recently used key beyond the maximum', async () => {
    const { counts } = tableOf(5);
    for (const key of ['a', 'b', 'c']) {
      counts.hasRoom(key, 5);
      await setImmediate();
    }
    expect(['b', 'c', 'a'].map((key) => counts.hasRoom(key, 5))).toEqual([false, false, true]);
  });
});
