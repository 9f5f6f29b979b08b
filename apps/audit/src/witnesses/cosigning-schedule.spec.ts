import { expect, test } from '@jest/globals';
import { LogsToRead } from '../append/changed-logs.js';
import { CosigningSchedule } from './cosigning-schedule.js';

test('logs are due at once and then after the pause, the longest waiting ones first', () => {
  const schedule = new CosigningSchedule(new LogsToRead());
  const next = (ms: number, limit = 2) => schedule.next(limit, new Date(ms), 60_000);
  schedule.add(['a', 'b', 'c']);
  expect(next(1000)).toEqual(['a', 'b']);
  schedule.add(['a']);
  expect(next(2000)).toEqual(['c']);
  expect(next(60_999)).toEqual([]);
  schedule.delete('b');
  schedule.add(['d']);
  expect(next(62_000, 9)).toEqual(['a', 'c', 'd']);
});
