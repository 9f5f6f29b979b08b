import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { AuditEvent } from '@holdfast/contracts';
import { AppError, unavailable } from '@holdfast/platform';
import { eventStream, heartbeatMs } from './event-stream.js';
import type { LogPage } from './log-reader.js';

const pageOf = (...seqs: number[]): LogPage => ({
  items: seqs.map((seq) => ({ seq }) as AuditEvent),
  after: seqs.at(-1)!,
  hasMore: false,
});
const emptyAt = (after: number): LogPage => ({ items: [], after, hasMore: false });

describe('eventStream', () => {
  let pages: (LogPage | AppError)[];
  let reads: (number | undefined)[];
  let grow: () => void;
  let rejection: AppError | undefined;
  let closed: AbortController;
  let disconnects: number;
  let stream: AsyncGenerator<string>;

  const streamFrom = (after?: number) =>
    eventStream({
      after,
      read: (from) => {
        reads.push(from);
        const page = pages.shift() ?? emptyAt(from ?? 7);
        return page instanceof AppError ? Promise.reject(page) : Promise.resolve(page);
      },
      follower: {
        waitBeyond: (_, timeoutMs) =>
          new Promise((resolve) => {
            const timer = setTimeout(() => resolve(false), timeoutMs);
            grow = () => (clearTimeout(timer), resolve(true));
          }),
        leave: () => undefined,
      },
      require: () => (rejection ? Promise.reject(rejection) : Promise.resolve()),
      signal: closed.signal,
      disconnect: () => void (disconnects += 1),
    });
  /** The next text, which comes within `ms`; undefined when there is none. */
  const next = async (ms = 100): Promise<string | undefined> => {
    let text: string | undefined;
    const taken = stream.next().then(({ value }) => void (text = value as string));
    for (let passed = 0; text === undefined && passed <= ms; passed += 50) await jest.advanceTimersByTimeAsync(50);
    if (text !== undefined) await taken;
    return text;
  };

  beforeEach(() => {
    jest.useFakeTimers();
    [pages, reads, rejection, disconnects, grow] = [[], [], undefined, 0, () => undefined];
    closed = new AbortController();
  });
  afterEach(() => void jest.useRealTimers());

  it('begins at the end of the log and names its place, without a place to begin', async () => {
    stream = streamFrom();
    expect(await next()).toBe('retry: 3000\n\n');
    expect(await next()).toBe(': heartbeat\nid: 7\n\n');
    expect(reads).toEqual([undefined]);
  });

  it('sends what the log has, page by page, and then what is appended', async () => {
    pages = [{ ...pageOf(3, 4), hasMore: true }, pageOf(5)];
    stream = streamFrom(2);
    await next();
    expect(await next()).toBe('id: 3\nevent: audit\ndata: {"seq":3}\n\nid: 4\nevent: audit\ndata: {"seq":4}\n\n');
    expect(await next()).toBe('id: 5\nevent: audit\ndata: {"seq":5}\n\n');
    pages = [pageOf(6)];
    const appended = next();
    await jest.advanceTimersByTimeAsync(60);
    grow();
    expect(await appended).toContain('id: 6\n');
    expect(reads).toEqual([2, 4, 5]);
  });

  it('sends a heartbeat after 15 seconds, also while entries are appended that no filter matches', async () => {
    stream = streamFrom(2);
    await next();
    pages = [emptyAt(9), emptyAt(10), emptyAt(11)];
    const heartbeat = next(heartbeatMs + 1000);
    for (let i = 0; i < 2; i += 1) {
      await jest.advanceTimersByTimeAsync(1000);
      grow();
    }
    expect(await heartbeat).toBe(': heartbeat\nid: 11\n\n');
  });

  it('ends within two seconds with the reason and the place, when its reader has lost the right', async () => {
    pages = [pageOf(3)];
    stream = streamFrom(2);
    await next();
    await next();
    rejection = new AppError('invalid_token', 'The access token has expired.');
    expect(await next(2200)).toBe(
      'event: end\ndata: {"code":"invalid_token","detail":"The access token has expired.","after":3}\n\n',
    );
    expect((await stream.next()).done).toBe(true);
  });

  it('continues after an outage of audit, and ends after one of half a minute', async () => {
    pages = [pageOf(3), unavailable('audit is not running'), pageOf(4)];
    stream = streamFrom(2);
    await next();
    await next();
    const continued = next(3000);
    await jest.advanceTimersByTimeAsync(60);
    grow();
    expect(await continued).toContain('id: 4\n');
    pages = Array.from({ length: 40 }, () => unavailable('audit is not running'));
    const end = next(40_000);
    await jest.advanceTimersByTimeAsync(60);
    grow();
    expect(await end).toContain('event: end\ndata: {"code":"unavailable"');
  });

  it('reads again when its organization reads too much, and ends with the reason after half a minute', async () => {
    const refused = () => new AppError('rate_limited', 'Too many at once.', { retryAfter: 1 });
    pages = [refused(), refused(), pageOf(3)];
    stream = streamFrom(2);
    await next();
    expect(await next(3000)).toContain('id: 3\n');
    expect(reads).toEqual([2, 2, 2]);
    pages = Array.from({ length: 40 }, refused);
    const end = next(40_000);
    await jest.advanceTimersByTimeAsync(60);
    grow();
    expect(await end).toBe('event: end\ndata: {"code":"rate_limited","detail":"Too many at once.","after":3}\n\n');
  });

  it('ends with the place when the server stops', async () => {
    pages = [pageOf(3)];
    stream = streamFrom(2);
    await next();
    await next();
    closed.abort();
    grow();
    expect(await next(3000)).toContain('"code":"unavailable","detail":"The server stops.');
  });

  it('disconnects a reader who takes nothing for half a minute, and has read no further page meanwhile', async () => {
    pages = [{ ...pageOf(3), hasMore: true }, pageOf(4)];
    stream = streamFrom(2);
    await next();
    await next();
    await jest.advanceTimersByTimeAsync(29_000);
    expect(disconnects).toBe(0);
    await jest.advanceTimersByTimeAsync(2000);
    expect(disconnects).toBe(1);
    expect(reads).toEqual([2]);
  });
});
