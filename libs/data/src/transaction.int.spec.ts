import { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@holdfast/testing';
import { Database, statement } from './database.js';
import { isDatabaseUnavailable } from './pg-errors.js';

const add = statement('add', 'INSERT INTO thing VALUES ($1)');
const addMore = statement('add_more', 'INSERT INTO thing VALUES ($1)');
const count = statement('count', 'SELECT count(*)::int AS n FROM thing');
const lock = statement('lock', 'SELECT id FROM thing FOR UPDATE');
const fail = statement('fail', 'SELECT 1 / $1::int AS one');

describe('a transaction', () => {
  let tables: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    tables = await createTestDatabase('audit', () => Promise.resolve());
    await tables.query('CREATE TABLE audit.thing (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)');
    // One connection, so that the next transaction would see a state that an earlier one left behind.
    database = await Database.connect({ url: tables.url(), pool: 1, applicationName: 'test' });
  });
  beforeEach(() => tables.query('TRUNCATE audit.thing'));
  afterAll(async () => {
    await database.close();
    await tables.drop();
  });
  const stored = async () => (await database.rows<{ n: number }>(count))[0]!.n;

  it('runs statements that are started together in order, each seeing the effects of earlier ones', async () => {
    const seen = await database.transaction(async (sql) =>
      Promise.all([sql.rows(add, [1]), sql.rows<{ n: number }>(count), sql.rows(addMore, [2])]),
    );
    expect(seen[1]).toEqual([{ n: 1 }]);
    expect(await stored()).toBe(2);
  });

  it('commits with the last statement', async () => {
    expect(await database.transaction((sql) => sql.last<{ n: number }>(count))).toEqual([{ n: 0 }]);
    await database.transaction(async (sql) => {
      await sql.rows(add, [1]);
      await sql.last(addMore, [2]);
    });
    expect(await stored()).toBe(2);
  });

  it('writes to the server twice: BEGIN with the first statements, and the last one with COMMIT', async () => {
    await database.rows(count);
    // Each call of either is a system call. The types of Node.js have them as optional members of streams.
    const socket = Socket.prototype as Required<Pick<Socket, '_write' | '_writev'>>;
    const writes = [jest.spyOn(socket, '_write'), jest.spyOn(socket, '_writev')];
    await database.transaction(async (sql) => {
      await Promise.all([sql.rows(lock), sql.rows(add, [1])]);
      await sql.last(addMore, [2]);
    });
    const counts = writes.map(({ mock }) => mock.calls.length);
    for (const spy of writes) spy.mockRestore();
    expect(counts[0]! + counts[1]!).toBe(2);
    expect(await stored()).toBe(2);
  });

  it.each([
    ['a statement', async (sql: { rows: Database['rows'] }) => sql.rows(fail, [0])],
    [
      'one of two started together',
      async (sql: { rows: Database['rows'] }) => Promise.all([sql.rows(fail, [0]), sql.rows(addMore, [2])]),
    ],
  ])('stores nothing when %s fails, and rejects with its error', async (_, work) => {
    const running = database.transaction(async (sql) => {
      await sql.rows(add, [1]);
      await work(sql);
    });
    await expect(running).rejects.toThrow('division by zero');
    expect(await stored()).toBe(0);
  });

  it('stores nothing when the last statement, or the commit itself, fails', async () => {
    const lastFails = database.transaction(async (sql) => {
      await sql.rows(add, [1]);
      await sql.last(fail, [0]);
    });
    await expect(lastFails).rejects.toThrow('division by zero');
    const commitFails = database.transaction(async (sql) => {
      await sql.rows(add, [1]);
      await sql.last(addMore, [1]);
    });
    await expect(commitFails).rejects.toThrow('duplicate key');
    expect(await stored()).toBe(0);
  });

  it('rejects when the work ignores a failed statement', async () => {
    const running = database.transaction(async (sql) => {
      await sql.rows(add, [1]);
      await sql.rows(fail, [0]).catch(() => undefined);
    });
    await expect(running).rejects.toThrow('nothing was committed');
    expect(await stored()).toBe(0);
  });

  it('is ended by the server when its process is paused, and releases its locks', async () => {
    const other = await Database.connect({ url: tables.url(), pool: 1, applicationName: 'test' });
    const limited = await Database.connect({
      url: tables.urlWithProductionLimits(),
      pool: 1,
      applicationName: 'limited',
    });
    await tables.query('INSERT INTO audit.thing VALUES (7)');
    let onLocked: () => void = () => undefined;
    const locked = new Promise<void>((resolve) => (onLocked = resolve));
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const hung = limited.transaction(async (sql) => {
      await sql.rows(lock);
      onLocked();
      await released;
      await sql.rows(add, [8]);
    });
    hung.catch(() => undefined);
    await locked;
    // Waits until the server has ended the other transaction.
    expect(await other.rows(lock)).toEqual([{ id: 7 }]);
    release();
    const failure = await hung.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(await stored()).toBe(1);
    await Promise.all([other.close(), limited.close()]);
  });

  it('waits for a connection as long as the address says, and three seconds by default', async () => {
    const [text, ms] = ['timeout exceeded when trying to connect', (seconds: number) => seconds * 1000];
    const limits = new URL(tables.urlWithProductionLimits());
    limits.searchParams.set('connect_timeout', '1');
    for (const [url, timeoutMs] of [
      [limits.href, ms(1)] as const,
      [tables.urlWithProductionLimits(), ms(3)] as const,
    ]) {
      const one = await Database.connect({ url, pool: 1, applicationName: 'test' });
      const done = Promise.withResolvers<void>();
      const holding = one.transaction(() => done.promise);
      const startedAt = performance.now();
      await expect(one.transaction(() => Promise.resolve())).rejects.toThrow(text);
      expect(performance.now() - startedAt).toBeGreaterThan(timeoutMs - 50);
      done.resolve();
      await holding.catch(() => undefined);
      await one.close();
    }
  });

  it('rejects with the error of the work', async () => {
    await expect(database.transaction(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await stored()).toBe(0);
  });
});
