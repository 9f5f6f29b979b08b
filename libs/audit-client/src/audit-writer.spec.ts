import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { appendRecords, type AuditRecord } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { AuditWriter } from './audit-writer.js';

const recordOf = (id: string) => ({ id, actor: { type: 'app', id: 'a' }, request: { id } }) as AuditRecord;

describe('AuditWriter', () => {
  let messages: string[][];
  let respond: (ids: string[]) => Promise<object>;
  let writer: AuditWriter;
  beforeEach(() => {
    jest.useFakeTimers();
    messages = [];
    respond = () => Promise.resolve({});
    const request = (_contract: unknown, { records }: { records: { record: AuditRecord }[] }) => {
      const ids = records.map((r) => r.record.id);
      messages.push(ids);
      return respond(ids);
    };
    writer = new AuditWriter({ request } as unknown as Bus);
  });
  afterEach(() => void jest.useRealTimers());

  it('sends records in one message that arrive while others are in flight', async () => {
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => writer.append('acme', recordOf(id))));
    expect(messages).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  it('appends records of other shards while the audit service of one does not answer', async () => {
    respond = (ids) => (ids.includes('stuck') ? new Promise(() => undefined) : Promise.resolve({}));
    const shards = { of: (org: string) => Promise.resolve(org === 'globex' ? 'eu2' : 'main') };
    const request = (_contract: unknown, { records }: { records: { record: AuditRecord }[] }) =>
      respond(records.map((r) => r.record.id));
    writer = new AuditWriter({ request, shards } as unknown as Bus);
    const stuck = Promise.allSettled(['stuck', 'stuck', 'stuck'].map((id) => writer.append('globex', recordOf(id))));
    await Promise.all(['a', 'b', 'c'].map((id) => writer.append('acme', recordOf(id))));
    jest.advanceTimersByTime(appendRecords.timeoutMs);
    expect((await stuck).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  });

  it('rejects only the record that audit rejects', async () => {
    respond = (ids) => (ids.includes('bad') ? Promise.reject(new AppError('invalid_request')) : Promise.resolve({}));
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
    // The caller gets `unavailable`, because its own request was not invalid.
    expect(results[3]).toMatchObject({ reason: { code: 'unavailable' } });
  });

  it('does not send records one by one while audit is unavailable', async () => {
    respond = () => Promise.reject(new AppError('unavailable'));
    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => writer.append('acme', recordOf(id))));
    expect(results.map((r) => r.status)).toEqual(Array(4).fill('rejected'));
    expect(messages).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  it('rejects waiting records after the timeout of the contract, and does not send them any more', async () => {
    // The timeout of the request begins, and so ends, a moment after that of the writer.
    respond = () =>
      new Promise(
        (_, reject) => void setTimeout(() => reject(new AppError('unavailable')), appendRecords.timeoutMs + 1),
      );
    const results = Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => writer.append('acme', recordOf(id))));
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
    expect((await results).map((r) => r.status)).toEqual(Array(4).fill('rejected'));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(messages).toEqual([['a'], ['b']]);
  });

  it('rejects a record at once when too many are waiting', async () => {
    respond = () => new Promise(() => undefined);
    const waiting = Array.from({ length: 10_002 }, (_, i) =>
      writer.append('acme', recordOf(String(i))).catch(() => undefined),
    );
    await expect(writer.append('acme', recordOf('one too many'))).rejects.toMatchObject({ code: 'unavailable' });
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
    await Promise.all(waiting);
  });
});
