import { expect, it } from '@jest/globals';
import { metricFindings } from './metrics.js';

const dropped =
  'holdfast_bus_messages_dropped_total{subject="cmd.issuance.create-offer",reason="sender",app="a, \\"b\\""}';
const noticesGivenUp = 'holdfast_logout_notifications_total{outcome="given up"}';
const always = (text: string) => ({ before: text, now: text, uptimeMinutes: 5 });
const found = (readings: Parameters<typeof metricFindings>[1]) =>
  metricFindings('issuance', readings).map(({ result, detail }) => `${result}: ${detail}`);

it('names what is above its limit, with the values of its labels, and nothing else', () => {
  const metrics = [
    '# HELP holdfast_bus_messages_dropped_total NATS messages',
    `${dropped} 2`,
    'holdfast_bus_messages_dropped_total{subject="cmd.issuance.get-offer",reason="sender"} 0',
    'holdfast_logout_notifications_total{outcome="delivered"} 7',
    'nodejs_eventloop_lag_p99_seconds 0.249',
    'holdfast_test_clock_offset_seconds 1',
    'holdfast_something_else 5',
  ].join('\n');
  expect(metricFindings('issuance', always(metrics))).toEqual([
    {
      check: 'issuance',
      result: 'failed',
      detail: 'its clock is shifted by 1 s for tests (HOLDFAST_TEST_CLOCK)',
      advice: 'See HoldfastTestClock under "Alerts" in the runbook.',
    },
    {
      check: 'issuance',
      result: 'failed',
      detail:
        '2 messages to cmd.issuance.create-offer were dropped because of their sender, since somebody else publishes ' +
        'on NATS: since it started 5 minutes ago, none of them in the last second',
      advice: 'See HoldfastBusMessagesDropped under "Alerts" in the runbook.',
    },
  ]);
});

it('finds nothing in the metrics of a version that has none of them', () => {
  expect(metricFindings('auth', always(''))).toEqual([]);
});

it('finds no delay of the event loop that has passed, and one that began in the last second', () => {
  const late = (seconds: number) => `nodejs_eventloop_lag_p99_seconds ${seconds}`;
  expect(found({ before: late(0.624), now: late(0.11), uptimeMinutes: 5 })).toEqual([]);
  expect(found({ before: late(0.11), now: late(0.624), uptimeMinutes: 5 })).toEqual([
    'failed: its event loop is late by 624 ms (p99)',
  ]);
});

it.each([
  [0, 3],
  [3, 0],
])('does not call it a state when one reading shows %s and the next one %s', (before, now) => {
  const of = (value: number) => `holdfast_audit_stream_unpublished_entries ${value}`;
  expect(found({ before: of(before), now: of(now), uptimeMinutes: 5 })).toEqual([]);
  expect(found(always(of(3)))).toHaveLength(1);
});

it('warns of what it counted at an unknown time, and fails while it counts more', () => {
  const of = (value: number) => `${noticesGivenUp} ${value}`;
  const text = '4 notices of a logout were given up, because an app did not accept them: since it started';
  expect(found({ before: of(4), now: of(4), uptimeMinutes: 61 })).toEqual([
    `warning: ${text} 61 minutes ago, none of them in the last second`,
  ]);
  expect(found({ before: of(4), now: of(4), uptimeMinutes: 59 })).toEqual([
    `failed: ${text} 59 minutes ago, none of them in the last second`,
  ]);
  expect(found({ before: of(1), now: of(4), uptimeMinutes: 61 })).toEqual([
    `failed: ${text} 61 minutes ago, 3 of them in the last second`,
  ]);
});
