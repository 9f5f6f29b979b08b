import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit, type ConcurrencyLimits } from './concurrency-limit.js';

const limits = {
  max: () => 4,
  maxPerKey: 2,
  maxWaiting: 4,
  maxWaitingPerKey: 2,
  maxWaitMs: 60_000,
  maxQueueAgeMs: 100,
};
let now = 0;

function limited(changes: Partial<ConcurrencyLimits> = {}) {
  const limit = new ConcurrencyLimit({ ...limits, ...changes }, () => now);
  const begun: string[] = [];
  const finish = new Map<string, () => void>();
  const run = (key: string, name: string) => {
    const running = limit.run(key, () => {
      begun.push(name);
      return new Promise<void>((resolve) => finish.set(name, resolve));
    });
    // What waits at the end of a test is rejected while the process runs another one, which would fail then.
    running.catch(() => undefined);
    return running;
  };
  const end = async (name: string) => {
    finish.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { limit, begun, run, end };
}

describe('ConcurrencyLimit', () => {
  it('starts work of other keys before that of a key that is at its limit', async () => {
    const { begun, run, end } = limited();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) void run(name[0]!, name);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
    void run('c', 'c1');
    await end('b1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
    await end('a1');
    expect(begun.at(-1)).toBe('a3');
  });

  it('rejects work of a key whose queue is full, and any work when the whole queue is full', async () => {
    const { run } = limited();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4']) void run(name[0]!, name);
    await expect(run('a', 'a5')).rejects.toMatchObject({ because: 'key' });
    await expect(run('c', 'c1')).rejects.toMatchObject({ because: 'all' });
  });

  it('says before it rejects work that it would', async () => {
    const { limit, run, end } = limited();
    for (const name of ['a1', 'a2', 'a3']) void run(name[0]!, name);
    expect([limit.reached('a'), limit.reached('b')]).toEqual([undefined, undefined]);
    void run('a', 'a4');
    expect([limit.reached('a'), limit.reached('b')]).toEqual(['key', undefined]);
    for (const name of ['b1', 'b2', 'b3', 'b4']) void run(name[0]!, name);
    expect([limit.reached('a'), limit.reached('c')]).toEqual(['key', 'all']);
    await end('a1');
    expect([limit.reached('a'), limit.reached('c')]).toEqual([undefined, undefined]);
  });

  it('takes no more work into a queue whose first work has waited too long, until it has begun', async () => {
    const { limit, run, end } = limited({ maxPerKey: 3 });
    for (const name of ['a1', 'a2', 'a3', 'b1', 'a4']) void run(name[0]!, name);
    now += 101;
    expect([limit.reached('a'), limit.reached('b')]).toEqual(['key', 'all']);
    await expect(run('a', 'a5')).rejects.toMatchObject({ because: 'key' });
    await end('a1');
    expect(limit.reached('a')).toBeUndefined();
  });

  it('takes work of other keys while the old work of one waits for its own limit', () => {
    const { limit, run } = limited({ max: () => 5 });
    for (const name of ['a1', 'a2', 'a3']) void run(name[0]!, name);
    now += 101;
    void run('b', 'b1');
    void run('b', 'b2');
    expect(limit.reached('b')).toBeUndefined();
  });

  it('rejects work after the longest wait, and frees its place in the queue', async () => {
    const { limit, begun, run, end } = limited({ maxWaitMs: 5 });
    for (const name of ['a1', 'a2']) void run('a', name);
    await expect(run('a', 'a3')).rejects.toMatchObject({ because: 'key' });
    await end('a1');
    void run('a', 'a4');
    expect(begun).toEqual(['a1', 'a2', 'a4']);
    expect(limit.inFlight).toBe(2);
  });

  it('frees the place of work that fails', async () => {
    const { limit } = limited();
    await expect(limit.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(limit.inFlight).toBe(0);
  });
});
