import { beforeEach, describe, expect, it } from '@jest/globals';
import { countDeniedRequests, type AuditRecord, type RequestOf } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { DeniedRequestCounter } from './denied-request-counter.js';

const refusal = (code: string, occurredAt = '2026-11-21T09:30:00.000Z', route = '/x'): Omit<AuditRecord, 'id'> => ({
  occurredAt,
  action: 'request.denied',
  actor: { type: 'anonymous', id: 'anonymous' },
  targets: [],
  outcome: { result: 'denied', status: 401, code },
  request: { id: 'r', traceparent: 't', method: 'GET', route },
});

describe('deniedRequests before a caller is known', () => {
  /** Of each message: what it says of each refusal. */
  let messages: [org: string, code: string | undefined, route: string, count: number | undefined][][];
  let ids: Set<string>;
  /** Of those without a route: the newest count, by action and result. */
  let together: Record<string, number | undefined>;
  let away: boolean;
  let hold: Promise<void>;
  const bus = {
    request: async (_: unknown, { deniedRequests }: RequestOf<typeof countDeniedRequests>) => {
      if (away) throw new AppError('unavailable');
      for (const {
        record: { action, outcome, request },
      } of deniedRequests)
        if (request.route === '*') together[`${action} ${outcome.result}`] = outcome.count;
      messages.push(
        deniedRequests.map(({ org, record }) => [org, record.outcome.code, record.request.route, record.outcome.count]),
      );
      deniedRequests.forEach((r) => ids.add(r.record.id));
      await hold;
    },
  } as unknown as Bus;
  const counter = (exists?: (org: string) => Promise<boolean>) => new DeniedRequestCounter(bus, 'gateway', exists);
  beforeEach(() => {
    [messages, ids, together, away, hold] = [[], new Set(), {}, false, Promise.resolve()];
  });

  it('are one record per reason and minute, with their number, and each waits until its own is kept', async () => {
    const counting = counter();
    await counting.count('acme', refusal('missing_token'), 'n');
    await counting.count('acme', refusal('missing_token', '2026-11-21T09:30:59.999Z'), 'm');
    await counting.count('acme', refusal('invalid_token'), 'n');
    await counting.count('acme', refusal('missing_token', '2026-11-21T09:31:00.000Z'), 'n');
    expect(messages).toEqual([
      [['acme', 'missing_token', '/x', 1]],
      [['acme', 'missing_token', '/x', 2]],
      [['acme', 'invalid_token', '/x', 1]],
      [['acme', 'missing_token', '/x', 1]],
    ]);
    expect(ids.size).toBe(3);
  });

  it('go together, however many there are, one message at a time', async () => {
    const counting = counter();
    await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        counting.count('acme', refusal(i % 2 ? 'missing_token' : 'invalid_token'), 'n'),
      ),
    );
    expect(messages.length).toBeLessThanOrEqual(3);
    expect(Object.fromEntries(messages.flat().map(([, code, , count]) => [code, count]))).toEqual({
      missing_token: 500,
      invalid_token: 500,
    });
  });

  it('are refused to leave while audit is away, and stand in the count of the next that is kept', async () => {
    const counting = counter();
    away = true;
    await expect(counting.count('acme', refusal('missing_token'), 'n')).rejects.toMatchObject({ code: 'unavailable' });
    away = false;
    await counting.count('acme', refusal('missing_token'), 'n');
    expect(messages).toEqual([[['acme', 'missing_token', '/x', 2]]]);
  });

  it('wait no longer behind a message without an answer than for one of their own', async () => {
    const counting = counter();
    let answer: () => void = () => undefined;
    hold = new Promise((resolve) => (answer = resolve));
    const began = performance.now();
    const results = await Promise.allSettled([
      counting.count('acme', refusal('a'), 'n'),
      new Promise((r) => setTimeout(r, 50)).then(() => counting.count('acme', refusal('b'), 'n')),
    ]);
    expect(results.map((r) => r.status)).toEqual(['rejected', 'rejected']);
    expect(performance.now() - began).toBeLessThan(countDeniedRequests.timeoutMs + 400);
    answer();
  });

  it('of one network make 250 records a minute; the rest are counted together, and none is lost', async () => {
    const counting = counter();
    const route = (i: number) => refusal('missing_token', undefined, `/r${i}`);
    await Promise.all(Array.from({ length: 400 }, (_, i) => counting.count('acme', route(i), 'loud')));
    await counting.count('acme', route(999), 'quiet');
    const last = new Map(messages.flat().map(([, code, r, count]) => [`${code} ${r}`, count]));
    expect(last.size).toBe(252);
    expect([last.get('undefined *'), last.get('missing_token /r0'), last.get('missing_token /r999')]).toEqual([
      150, 1, 1,
    ]);
  });

  it('beyond that of organizations which somebody made up concern nobody', async () => {
    const counting = counter((org) => Promise.resolve(org === 'acme'));
    await Promise.all(
      Array.from({ length: 400 }, (_, i) => counting.count(`made-up-${i}`, refusal('missing_token'), 'loud')),
    );
    await counting.count('acme', refusal('missing_token'), 'loud');
    expect(new Set(messages.flat().map(([org]) => org)).size).toBe(251);
    expect(messages.at(-1)).toEqual([['acme', undefined, '*', 1]]);
  });

  it('beyond that are counted apart from what succeeded, which keeps its action', async () => {
    const counting = counter();
    const read = (i: number) => ({
      ...refusal('x', undefined, `/r${i}`),
      action: 'claim.read' as const,
      outcome: { result: 'success' as const, status: 200 },
    });
    await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        counting.count('acme', i < 250 ? refusal('missing_token', undefined, `/r${i}`) : read(i), 'loud'),
      ),
    );
    await counting.count('acme', refusal('missing_token', undefined, '/r999'), 'loud');
    expect(together).toEqual({ 'claim.read success': 50, 'request.denied denied': 1 });
  });
});
