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

  const append = (...ids: string[]) =>
    Promise.allSettled(ids.map((id) => writer.append('acme', recordOf(id)))).then((all) => all.map((r) => r.status));

  it('sends records in one message that arrive while another is in flight', async () => {
    expect(await append('a', 'b', 'c', 'd')).toEqual(Array(4).fill('fulfilled'));
    expect(messages).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('sends as many records in one message as the bus takes, and each once', async () => {
    const sizes: number[] = [];
    const request = (_contract: unknown, { records }: { records: { record: AuditRecord }[] }) => {
      messages.push(records.map((r) => r.record.id));
      sizes.push(Buffer.byteLength(JSON.stringify(records)));
      return Promise.resolve({});
    };
    writer = new AuditWriter({ request } as unknown as Bus);
    const large = (id: string, bytes = 60_000) => ({ ...recordOf(id), changes: { note: { to: 'x'.repeat(bytes) } } });
    const ids = Array.from({ length: 60 }, (_, i) => String(i));
    const results = ids.map((id) => writer.append('acme', large(id)));
    results.push(
      writer.append('acme', large('larger than a message', 600_000)),
      writer.append('acme', recordOf('last')),
    );
    await jest.advanceTimersByTimeAsync(1000);
    await Promise.all(results);
    expect(messages.flat()).toEqual([...ids, 'larger than a message', 'last']);
    expect(messages.map((each) => each.length)).toEqual([1, 8, 8, 8, 8, 8, 8, 8, 3, 1, 1]);
    expect(sizes.every((bytes, i) => bytes <= 520_000 || messages[i]!.length === 1)).toBe(true);
  });

  it('after a shared message, waits 1 ms for records that share the next one', async () => {
    await append('a', 'b', 'c');
    const [first, second] = [append('d'), append('e', 'f')];
    await jest.advanceTimersByTimeAsync(0);
    expect(messages).toEqual([['a'], ['b', 'c']]);
    await jest.advanceTimersByTimeAsync(1);
    expect(messages).toEqual([['a'], ['b', 'c'], ['d', 'e', 'f']]);
    await Promise.all([first, second]);
  });

  it('after a message with one record, sends the next one at once', async () => {
    await append('a');
    await append('b');
    expect(messages).toEqual([['a'], ['b']]);
  });

  it('keeps one message in flight for 20 ms, then sends a second beside it, and never a third', async () => {
    respond = () => new Promise(() => undefined);
    const results = append('a', 'b', 'c');
    await jest.advanceTimersByTimeAsync(19);
    expect(messages).toEqual([['a']]);
    await jest.advanceTimersByTimeAsync(1);
    expect(messages).toEqual([['a'], ['b', 'c']]);
    void append('d');
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
    expect(messages).toEqual([['a'], ['b', 'c']]);
    expect(await results).toEqual(Array(3).fill('rejected'));
  });

  it('sends one message after another beside one that hangs', async () => {
    respond = (ids) => (ids.includes('hangs') ? new Promise(() => undefined) : Promise.resolve({}));
    const hanging = append('hangs');
    const others: Promise<string[]>[] = [];
    for (const id of ['a', 'b', 'c']) {
      others.push(append(id));
      await jest.advanceTimersByTimeAsync(20);
    }
    expect(await Promise.all(others)).toEqual(Array(3).fill(['fulfilled']));
    expect(messages).toEqual([['hangs'], ['a'], ['b'], ['c']]);
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
    expect(await hanging).toEqual(['rejected']);
  });

  it('appends records of other shards while the audit service of one does not answer', async () => {
    respond = (ids) => (ids.includes('stuck') ? new Promise(() => undefined) : Promise.resolve({}));
    const shards = { of: (org: string) => Promise.resolve(org === 'globex' ? 'eu2' : 'main') };
    const request = (_contract: unknown, { records }: { records: { record: AuditRecord }[] }) =>
      respond(records.map((r) => r.record.id));
    writer = new AuditWriter({ request, shards } as unknown as Bus);
    const stuck = Promise.allSettled(['stuck', 'stuck', 'stuck'].map((id) => writer.append('globex', recordOf(id))));
    expect(await append('a', 'b', 'c')).toEqual(Array(3).fill('fulfilled'));
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
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

  it('sends records of other organizations again together when a damaged log rejects its own', async () => {
    respond = (ids) =>
      ids.some((id) => id.startsWith('acme')) ? Promise.reject(new AppError('invalid_request')) : Promise.resolve({});
    await writer.append('first', recordOf('first'));
    messages = [];
    const records = Array.from({ length: 24 }, (_, i) => ({ org: ['acme', 'b', 'c', 'd'][i % 4]!, id: String(i) }));
    const appending = Promise.allSettled(records.map(({ org, id }) => writer.append(org, recordOf(`${org} ${id}`))));
    const statuses = (await appending).map(({ status }) => status);
    expect(statuses).toEqual(records.map(({ org }) => (org === 'acme' ? 'rejected' : 'fulfilled')));
    // The first one went alone.
    const others = messages.filter((ids) => !ids.some((id) => id.startsWith('acme')));
    expect(others.map((ids) => ids.length)).toEqual([12, 6]);
  });

  it('does not send records one by one while audit is unavailable', async () => {
    respond = () => Promise.reject(new AppError('unavailable'));
    expect(await append('a', 'b', 'c', 'd')).toEqual(Array(4).fill('rejected'));
    expect(messages).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('rejects waiting records after the timeout of the contract, and does not send them any more', async () => {
    // The requests end after all records have timed out.
    respond = () =>
      new Promise(
        (_, reject) => void setTimeout(() => reject(new AppError('unavailable')), 2 * appendRecords.timeoutMs),
      );
    const sent = append('a', 'b');
    await jest.advanceTimersByTimeAsync(100);
    const waiting = append('c', 'd');
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
    expect(messages).toEqual([['a'], ['b']]);
    expect([await sent, await waiting]).toEqual(Array(2).fill(['rejected', 'rejected']));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(messages).toEqual([['a'], ['b']]);
  });

  it('rejects a record at once when too many are waiting', async () => {
    respond = () => new Promise(() => undefined);
    const waiting = Array.from({ length: 10_001 }, (_, i) =>
      writer.append('acme', recordOf(String(i))).catch(() => undefined),
    );
    await expect(writer.append('acme', recordOf('one too many'))).rejects.toMatchObject({ code: 'unavailable' });
    await jest.advanceTimersByTimeAsync(appendRecords.timeoutMs);
    await Promise.all(waiting);
  });
});
