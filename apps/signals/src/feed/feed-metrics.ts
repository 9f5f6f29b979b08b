import { Gauge, Histogram } from 'prom-client';

export const feedLag = new Histogram({
  name: 'holdfast_feed_lag_seconds',
  help: 'Time from a change to its event in the feed',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

export const earlyEvents = new Gauge({
  name: 'holdfast_feed_early_events',
  help: 'Events that wait for their predecessors, a minute at most',
});
