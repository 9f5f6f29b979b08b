import { expect, it } from '@jest/globals';
import { metricFindings } from './metrics.js';

it('names what is above its limit, with the values of its labels, and nothing else', () => {
  const metrics = [
    '# HELP holdfast_bus_messages_dropped_total NATS messages',
    'holdfast_bus_messages_dropped_total{subject="cmd.issuance.create-offer",reason="sender",app="a, \\"b\\""} 2',
    'holdfast_bus_messages_dropped_total{subject="cmd.issuance.get-offer",reason="sender"} 0',
    'holdfast_logout_notifications_total{outcome="delivered"} 7',
    'nodejs_eventloop_lag_p99_seconds 0.249',
    'holdfast_test_clock_offset_seconds 1',
    'holdfast_something_else 5',
  ].join('\n');
  expect(metricFindings('issuance', metrics)).toEqual([
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
        '2 messages to cmd.issuance.create-offer were dropped since it started, because of their sender: ' +
        'somebody else publishes on NATS',
      advice: 'See HoldfastBusMessagesDropped under "Alerts" in the runbook.',
    },
  ]);
});

it('finds nothing in the metrics of a version that has none of them', () => {
  expect(metricFindings('auth', '')).toEqual([]);
});
