import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
let used = pool.length;

/**
 * Random bytes for ids, as a view that is valid until the next call. The pool is filled for many ids at once, since
 * calling the generator for each took a tenth of the gateway's time. Secrets call it directly, so that none is in
 * memory before it is needed.
 */
export function randomForIds(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.subarray(used - bytes, used);
}
