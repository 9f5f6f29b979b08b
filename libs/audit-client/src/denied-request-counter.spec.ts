import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { countDeniedRequests, type AuditRecord, type RequestContext, type RequestOf } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { DeniedRequestCounter } from './denied-request-counter.js';

const denied = (code: string, occurredAt = '2026-11-21T09:30:00.000Z', route = '/x'): Omit<AuditRecord, 'id'> => ({
  occurredAt,
  action: 'request.denied',
  actor: { type: 'anonymous', id: 'anonymous' },
  targets: [],
  outcome: { result: 'denied', status: 401, code },
  request: { id: 'r', traceparent: 't', method: 'GET', route },
});

describe('DeniedRequestCounter', () => {
  /** The counts of each message. */
  let messages: [org: string, code: string | undefined, route: string, count: number | undefined][][];
  let ids: Set<string>;
  /** The newest count of each record with route `*`, by action and result. */
  let summaries: Record<string, number | undefined>;
  let unavailable: boolean;
  let hold: Promise<void>;
  const bus = {
    request: async (_: unknown, { deniedRequests }: RequestOf<typeof countDeniedRequests>) => {
      if (unavailable) throw new AppError('unavailable');
      for (const {
        record: { action, outcome, request },
      } of deniedRequests)
        if (request.route === '*') summaries[`${action} ${outcome.result}`] = outcome.count;
      messages.push(
        deniedRequests.map(({ org, record }) => [org, record.outcome.code, record.request.route, record.outcome.count]),
      );
      deniedRequests.forEach((r) => ids.add(r.record.id));
      await hold;
    },
  } as unknown as Bus;
  const counter = (exists?: (org: string) => Promise<boolean>) => new DeniedRequestCounter(bus, 'gateway', exists);
  beforeEach(() => {
    [messages, ids, summaries, unavailable, hold] = [[], new Set(), {}, false, Promise.resolve()];
  });

  it('sends one record per reason and minute with its count, and resolves when audit has stored it', async () => {
    const counting = counter();
    await counting.count('acme', denied('missing_token'), 'n');
    await counting.count('acme', denied('missing_token', '2026-11-21T09:30:59.999Z'), 'm');
    await counting.count('acme', denied('invalid_token'), 'n');
    await counting.count('acme', denied('missing_token', '2026-11-21T09:31:00.000Z'), 'n');
    expect(messages).toEqual([
      [['acme', 'missing_token', '/x', 1]],
      [['acme', 'missing_token', '/x', 2]],
      [['acme', 'invalid_token', '/x', 1]],
      [['acme', 'missing_token', '/x', 1]],
    ]);
    expect(ids.size).toBe(3);
  });

  it('stores counts of other shards while the audit service of one does not answer', async () => {
    const shards = { of: (org: string) => Promise.resolve(org === 'globex' ? 'eu2' : 'main') };
    const contexts: string[] = [];
    const request = async (...[, , { org }]: [unknown, unknown, RequestContext]) => {
      contexts.push(org);
      if (org === 'globex') await new Promise(() => undefined);
    };
    const counting = new DeniedRequestCounter({ request, shards } as unknown as Bus, 'gateway');
    const stuck = counting.count('globex', denied('missing_token'), 'n');
    stuck.catch(() => undefined);
    await counting.count('acme', denied('missing_token'), 'n');
    await counting.count('acme', denied('missing_token'), 'n');
    expect(contexts).toEqual(['globex', 'acme', 'acme']);
    await expect(stuck).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('sends the counts of many concurrent requests in few messages', async () => {
    const counting = counter();
    await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        counting.count('acme', denied(i % 2 ? 'missing_token' : 'invalid_token'), 'n'),
      ),
    );
    expect(messages.length).toBeLessThanOrEqual(3);
    expect(Object.fromEntries(messages.flat().map(([, code, , count]) => [code, count]))).toEqual({
      missing_token: 500,
      invalid_token: 500,
    });
  });

  it('rejects while audit is unavailable, and includes the request in the next stored count', async () => {
    const counting = counter();
    unavailable = true;
    await expect(counting.count('acme', denied('missing_token'), 'n')).rejects.toMatchObject({ code: 'unavailable' });
    unavailable = false;
    await counting.count('acme', denied('missing_token'), 'n');
    expect(messages).toEqual([[['acme', 'missing_token', '/x', 2]]]);
  });

  it('rejects after one timeout when it waits behind a message without a response', async () => {
    const counting = counter();
    let release: () => void = () => undefined;
    hold = new Promise((resolve) => (release = resolve));
    jest.useFakeTimers();
    try {
      const first = expect(counting.count('acme', denied('a'), 'n')).rejects.toMatchObject({ code: 'unavailable' });
      await jest.advanceTimersByTimeAsync(50);
      const second = expect(counting.count('acme', denied('b'), 'n')).rejects.toMatchObject({ code: 'unavailable' });
      await jest.advanceTimersByTimeAsync(countDeniedRequests.timeoutMs);
      await Promise.all([first, second]);
    } finally {
      jest.useRealTimers();
    }
    release();
  });

  it('keeps 250 records a minute of one network, and counts its further requests together', async () => {
    const counting = counter();
    const route = (i: number) => denied('missing_token', undefined, `/r${i}`);
    await Promise.all(Array.from({ length: 400 }, (_, i) => counting.count('acme', route(i), 'loud')));
    await counting.count('acme', route(999), 'quiet');
    const last = new Map(messages.flat().map(([, code, r, count]) => [`${code} ${r}`, count]));
    expect(last.size).toBe(252);
    expect([last.get('undefined *'), last.get('missing_token /r0'), last.get('missing_token /r999')]).toEqual([
      150, 1, 1,
    ]);
  });

  it('does not count further requests to organizations that do not exist', async () => {
    const counting = counter((org) => Promise.resolve(org === 'acme'));
    await Promise.all(
      Array.from({ length: 400 }, (_, i) => counting.count(`made-up-${i}`, denied('missing_token'), 'loud')),
    );
    await counting.count('acme', denied('missing_token'), 'loud');
    expect(new Set(messages.flat().map(([org]) => org)).size).toBe(251);
    expect(messages.at(-1)).toEqual([['acme', undefined, '*', 1]]);
  });

  it('counts further successful requests separately, with their action', async () => {
    const counting = counter();
    const read = (i: number) => ({
      ...denied('x', undefined, `/r${i}`),
      action: 'claim.read' as const,
      outcome: { result: 'success' as const, status: 200 },
    });
    await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        counting.count('acme', i < 250 ? denied('missing_token', undefined, `/r${i}`) : read(i), 'loud'),
      ),
    );
    await counting.count('acme', denied('missing_token', undefined, '/r999'), 'loud');
    expect(summaries).toEqual({ 'claim.read success': 50, 'request.denied denied': 1 });
  });
});
