import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { within } from './within.js';

describe('within', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const never = new Promise<never>(() => undefined);

  it('resolves with the result of work that ends in time, and leaves no timer', async () => {
    await expect(within(1000, Promise.resolve('done'))).resolves.toBe('done');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects with the error of work that fails in time, and leaves no timer', async () => {
    await expect(within(1000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('rejects when the time is over, with the error of the caller if there is one', async () => {
    const waits = [
      expect(within(1000, never)).rejects.toThrow('no response within 1000 ms'),
      expect(within(1000, never, () => new Error('late'))).rejects.toThrow('late'),
    ];
    jest.advanceTimersByTime(1000);
    await Promise.all(waits);
  });

  it('ignores an error of work that fails after the time is over', async () => {
    let fail!: (error: Error) => void;
    const work = new Promise<never>((_, reject) => (fail = reject));
    const wait = expect(within(1000, work)).rejects.toThrow('no response');
    jest.advanceTimersByTime(1000);
    await wait;
    // An unhandled rejection would end the test process.
    fail(new Error('refused'));
    await Promise.resolve();
  });
});
