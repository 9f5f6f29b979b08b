import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { appendRecords, type AuditRecord } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { AuditWriter } from './audit-writer.js';

const recordOf = (id: string) => ({ id, actor: { type: 'app', id: 'a' }, request: { id } }) as AuditRecord;

describe('records on their way to the log', () => {
  let messages: string[][];
  let answer: (ids: string[]) => Promise<object>;
  let writer: AuditWriter;
  beforeEach(() => {
    jest.useFakeTimers();
    messages = [];
    answer = () => Promise.resolve({});
    const request = (_contract: unknown, { records }: { records: { record: AuditRecord }[] }) => {
      const ids = records.map((r) => r.record.id);
      messages.push(ids);
      return answer(ids);
    };
    writer = new AuditWriter({ request } as unknown as Bus);
  });
  afterEach(() => void jest.useRealTimers());

  it('ride together when they come while others are under way', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => writer.append('acme', recordOf(id))));
    expect(messages).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  it('do not suffer for one that audit refuses, which alone is told so', async () => {
    answer = (ids) => (ids.includes('bad') ? Promise.reject(new AppError('invalid_request')) : Promise.resolve({}));
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'bad', 'd', 'e', 'f'].map((id) => writer.append('acme', recordOf(id))),
    );
    expect(results.map((r) => r.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    // To its caller it is a log that cannot be written, not a request that was wrong.
    expect(results[3]).toMatchObject({ reason: { code: 'unavailable' } });
  });

  it('are not sent one by one to an audit that is away', async () => {
    answer = () => Promise.reject(new AppError('unavailable'));
    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => writer.append('acme', recordOf(id))));
    expect(results.map((r) => r.status)).toEqual(Array(4).fill('rejected'));
    expect(messages).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  it('are waited for no longer than the contract says, also behind others, and are not sent when nobody waits any more', async () => {
    // As the bus does, a moment later, since its clock starts a moment later.
    answer = () =>
      new Promise(
        (_, reject) => void setTimeout(() => reject(new AppError('unavailable')), appendRecords.timeoutMs + 1),
      );
    const results = Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => writer.append('acme', recordOf(id))));
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
    expect((await results).map((r) => r.status)).toEqual(Array(4).fill('rejected'));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(messages).toEqual([['a'], ['b']]);
  });

  it('are refused at once when too many wait already', async () => {
    answer = () => new Promise(() => undefined);
    const waiting = Array.from({ length: 10_002 }, (_, i) =>
      writer.append('acme', recordOf(String(i))).catch(() => undefined),
    );
    await expect(writer.append('acme', recordOf('one too many'))).rejects.toMatchObject({ code: 'unavailable' });
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
    await Promise.all(waiting);
  });
});
