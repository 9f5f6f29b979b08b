import { expect, it } from '@jest/globals';
import { analyticsEndpoints } from './analytics.http.js';

const [analytics] = analyticsEndpoints;
const now = new Date('2026-11-21T09:30:00.000Z');
const caller = { operations: [], signedInRecently: true, id: 'app_1', type: 'app' } as const;

function requestOf(metric: string, query: Record<string, unknown>) {
  const input = { params: { metric }, query: { interval: 'day', timezone: 'UTC', ...query }, body: undefined };
  const request = analytics!.request(input, caller, now);
  return { request, issues: analytics!.check!(request) };
}

it('reads 30 intervals up to now by default', () => {
  expect(requestOf('offers', {})).toEqual({
    request: {
      metric: 'offers',
      interval: 'day',
      timezone: 'UTC',
      from: '2026-10-22T09:30:00.000Z',
      to: '2026-11-21T09:30:00.000Z',
    },
    issues: [],
  });
});

it('finds parameters that do not go together', () => {
  expect(requestOf('offers', { from: now.toISOString() }).issues).toEqual([
    { parameter: 'to', detail: 'must be after from' },
  ]);
  expect(requestOf('active-customers', { groupBy: 'app' }).issues).toEqual([
    { parameter: 'groupBy', detail: 'cannot be given for active-customers' },
  ]);
});
