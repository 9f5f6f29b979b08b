import { describe, expect, it } from '@jest/globals';
import { newId } from './ids.js';
import { randomForIds } from './random.js';

describe('newId', () => {
  it('creates unique, increasing UUIDs of version 7 with the current time', () => {
    const before = Date.now();
    const ids = Array.from({ length: 5000 }, newId);
    const times = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16));
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    );
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(times[0]).toBeGreaterThanOrEqual(before);
    expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
  });
});

describe('randomForIds', () => {
  it('never returns the same bytes twice, across many refills of its pool', () => {
    const seen = Array.from({ length: 2000 }, () => randomForIds(24).toString('hex'));
    expect(new Set(seen).size).toBe(2000);
  });
});
