import { describe, expect, it } from '@jest/globals';
import { GrownLogs } from './changed-logs.js';

const returned = (orgs: readonly string[] | undefined) => Promise.resolve(orgs);

describe('the logs that a consumer has to read', () => {
  it('are all at first and twice a minute, and in between those that have changed, for each consumer', async () => {
    const logs = new GrownLogs();
    const [one, other] = [logs.consumer(), logs.consumer()];
    logs.add(['acme']);
    expect(await one.take(returned, 0)).toBeUndefined();
    logs.add(['globex', 'acme']);
    logs.add(['globex']);
    expect(await one.take(returned, 1000)).toEqual(['globex', 'acme']);
    expect(await one.take(returned, 2000)).toEqual([]);
    expect(await one.take(returned, 30_000)).toBeUndefined();
    expect(await other.take(returned, 30_000)).toBeUndefined();
    one.add(['acme']);
    expect(await one.take(returned, 31_000)).toEqual(['acme']);
    expect(await other.take(returned, 31_000)).toEqual([]);
  });

  it('are the same after a failure, and those that have changed meanwhile', async () => {
    const logs = new GrownLogs();
    const consumer = logs.consumer();
    const failing = () => Promise.reject(new Error('no database'));
    await expect(consumer.take(failing, 0)).rejects.toThrow();
    expect(await consumer.take(returned, 1)).toBeUndefined();
    logs.add(['acme']);
    await expect(
      consumer.take(() => {
        logs.add(['globex']);
        return failing();
      }, 2),
    ).rejects.toThrow();
    expect((await consumer.take(returned, 3))!.toSorted()).toEqual(['acme', 'globex']);
  });
});
