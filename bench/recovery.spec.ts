import { expect, test } from '@jest/globals';
import { recoverySeconds } from './recovery.ts';
import type { Slice } from './workers/phases.ts';

const slice = (index: number, p50: number, more: Partial<Slice> = {}): Slice => ({
  atMs: index * 500,
  good: 10,
  rejected: 0,
  failed: 0,
  unsent: 0,
  p50,
  p99: p50,
  ...more,
});
const before = [slice(0, 10), slice(1, 20)];

test('a stack has recovered when no request is rejected or fails, and latency is that of before', () => {
  expect(recoverySeconds(before, [slice(0, 30)])).toBe(0);
  expect(recoverySeconds(before, [slice(0, 31), slice(1, 10, { rejected: 1 }), slice(2, 30)])).toBe(1.5);
  expect(recoverySeconds(before, [slice(0, 10, { failed: 1 }), slice(1, 10)])).toBe(1);
  expect(recoverySeconds(before, [slice(0, 10, { unsent: 1 }), slice(1, 10, { p99: 31 }), slice(2, 10)])).toBe(1.5);
});

test('a stack that only rejects, or stays slow, has not recovered', () => {
  const nothing = slice(0, Number.NaN, { good: 0, rejected: 5 });
  expect(recoverySeconds(before, [nothing, slice(1, 31)])).toBeUndefined();
});
