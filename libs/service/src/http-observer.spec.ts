import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { register } from 'prom-client';
import { createLogger, httpLogConfigSchema } from '@holdfast/platform';
import { HttpObserver, type ObservedRequest } from './http-observer.js';

let lines: Record<string, unknown>[];
let bytes: number;
const logger = createLogger('gateway', 'info', '1', {
  write: (line) => void (lines.push(JSON.parse(line) as Record<string, unknown>), (bytes += line.length)),
});
const observer = (changes: Record<string, unknown> = {}) =>
  new HttpObserver(logger, httpLogConfigSchema.parse(changes));
const request = (changes: Partial<ObservedRequest> = {}): ObservedRequest => ({
  requestId: 'r1',
  method: 'GET',
  route: '/o/{shortId}/x',
  status: 200,
  seconds: 0.0123,
  org: 'acme',
  verified: true,
  ...changes,
});
const unavailable = {
  status: 503,
  code: 'unavailable',
  detail: 'subjects did not answer in time',
  origin: { dependency: 'subjects', cause: 'timeout' },
} as const;

async function values(metric: string): Promise<{ labels: Record<string, unknown>; value: number }[]> {
  return (await register.getSingleMetric(metric)!.get()).values;
}

beforeEach(() => {
  [lines, bytes] = [[], 0];
  register.resetMetrics();
});

describe('the access log', () => {
  it('writes a line with origin, detail and duration for a response of 503', () => {
    observer().observe(request(unavailable));
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'request',
        requestId: 'r1',
        route: '/o/{shortId}/x',
        status: 503,
        code: 'unavailable',
        dependency: 'subjects',
        cause: 'timeout',
        detail: 'subjects did not answer in time',
        durationMs: 12.3,
        org: 'acme',
      }),
    ]);
  });

  it('writes no line for a success when the share is 0, and each when it is 1', () => {
    observer({ ACCESS_LOG_SUCCESSES: 0 }).observe(request());
    expect(lines).toEqual([]);
    observer({ ACCESS_LOG_SUCCESSES: 1 }).observe(request());
    expect(lines).toEqual([expect.objectContaining({ level: 'info', status: 200 })]);
  });

  it('summarizes requests beyond the budget by kind, so that 100,000 denied requests take a few kilobytes', () => {
    // All within a second: the budget of lines grows with time.
    jest.useFakeTimers({ now: 0 });
    const observing = observer();
    for (let i = 0; i < 100_000; i += 1)
      observing.observe(request({ status: 429, code: 'rate_limited', verified: false, requestId: String(i) }));
    jest.useRealTimers();
    const own = lines.length;
    observing.flush();
    expect(own).toBeGreaterThan(0);
    expect(lines.at(-1)).toMatchObject({
      groups: [{ route: '/o/{shortId}/x', status: 429, code: 'rate_limited', count: 100_000 - own }],
    });
    expect(bytes).toBeLessThan(100_000);
  });

  it('keeps the budget of 5xx apart from that of 4xx, so that an attacker cannot hide a failure', () => {
    const observing = observer();
    for (let i = 0; i < 10_000; i += 1) observing.observe(request({ status: 401, code: 'invalid_token' }));
    observing.observe(request(unavailable));
    expect(lines.filter(({ status }) => status === 503)).toHaveLength(1);
    observing.flush();
  });

  it('summarizes a bounded number of kinds', () => {
    const observing = observer({ ACCESS_LOG_CLIENT_ERRORS: 0 });
    for (let i = 0; i < 5000; i += 1) observing.observe(request({ route: `/route/${i}`, status: 404 }));
    observing.flush();
    const { groups } = lines[0] as { groups: { count: number }[] };
    expect(groups.length).toBeLessThanOrEqual(51);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  });
});

describe('metrics', () => {
  it('count by route, status and class of organization, with the origin of an error', async () => {
    const observing = observer({ METRICS_ORGANIZATIONS: 'acme' });
    for (const org of ['acme', 'globex', 'hooli']) observing.observe(request({ org }));
    observing.observe(request({ org: 'acme', verified: false }));
    observing.observe(request({ ...unavailable, org: undefined, route: undefined }));
    observing.flush();
    const total = (await values('holdfast_http_requests_total')).map(({ labels, value }) => [
      labels.organization,
      labels.status,
      value,
    ]);
    expect(total).toEqual([
      ['acme', 200, 1],
      ['other', 200, 2],
      ['unverified', 200, 1],
      ['none', 503, 1],
    ]);
    expect(await values('holdfast_http_errors_total')).toEqual([
      expect.objectContaining({
        value: 1,
        labels: { route: 'unmatched', status: 503, code: 'unavailable', dependency: 'subjects', cause: 'timeout' },
      }),
    ]);
  });

  it('have no more series after requests for 10,000 organizations that do not exist', async () => {
    const observing = observer({ ACCESS_LOG_CLIENT_ERRORS: 0, METRICS_ORGANIZATIONS: 'acme' });
    for (let i = 0; i < 10_000; i += 1)
      observing.observe(request({ org: `made-up-${i}`, verified: false, status: 404 }));
    observing.flush();
    expect(await values('holdfast_http_requests_total')).toHaveLength(1);
  });
});
