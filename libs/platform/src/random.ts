import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
let used = pool.length;

/**
 * Random bytes for ids, a view that is good until the next call. The generator fills the pool for many ids at once:
 * asking it for each took a tenth of the gateway's time. For secrets ask it directly, so that none lies in memory
 * beforehand.
 */
export function randomForIds(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}
