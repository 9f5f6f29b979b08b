import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { AppError, unavailable } from '@holdfast/platform';
import { exportFileStream } from './export-file-stream.js';

const file = Buffer.from('0123456789');
let reads: number[];
let failures: AppError[];
let disconnects: number;
let rejection: AppError | undefined;
let closed: AbortController;

const streamOf = (first: number, last: number) =>
  exportFileStream({
    range: { first, last },
    read: (offset) => {
      reads.push(offset);
      const failure = failures.shift();
      return failure ? Promise.reject(failure) : Promise.resolve(file.subarray(offset, offset + 4));
    },
    require: () => (rejection ? Promise.reject(rejection) : Promise.resolve()),
    signal: closed.signal,
    disconnect: () => void (disconnects += 1),
  });
const all = async (stream: AsyncGenerator<Buffer>) => {
  const parts: string[] = [];
  const end = (async () => {
    for await (const part of stream) parts.push(part.toString());
  })();
  await jest.advanceTimersByTimeAsync(60_000);
  await end;
  return parts;
};

beforeEach(() => {
  jest.useFakeTimers();
  [reads, failures, disconnects, rejection] = [[], [], 0, undefined];
  closed = new AbortController();
});
afterEach(() => void jest.useRealTimers());

it('sends the whole file in parts, and exactly the bytes of a range', async () => {
  expect(await all(streamOf(0, 9))).toEqual(['0123', '4567', '89']);
  expect(await all(streamOf(3, 7))).toEqual(['3456', '7']);
  expect(disconnects).toBe(0);
});

it('reads nothing before the part before it was taken, and disconnects a reader who takes nothing', async () => {
  const stream = streamOf(0, 9);
  await stream.next();
  await jest.advanceTimersByTimeAsync(29_000);
  expect([reads, disconnects]).toEqual([[0], 0]);
  await jest.advanceTimersByTimeAsync(2000);
  expect([reads, disconnects]).toEqual([[0], 1]);
});

it('waits while audit is unavailable, and disconnects after half a minute', async () => {
  failures = [unavailable('away'), unavailable('away')];
  expect((await all(streamOf(0, 3))).join('')).toBe('0123');
  failures = Array.from({ length: 100 }, () => unavailable('away'));
  expect(await all(streamOf(0, 3))).toEqual([]);
  expect(disconnects).toBe(1);
});

it('disconnects when the right was revoked, and when the file was deleted', async () => {
  const stream = streamOf(0, 9);
  await stream.next();
  rejection = new AppError('invalid_token');
  jest.advanceTimersByTime(2001);
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  expect(disconnects).toBe(1);
  rejection = undefined;
  failures = [new AppError('invalid_state')];
  expect(await all(streamOf(0, 9))).toEqual([]);
  expect(disconnects).toBe(2);
});
