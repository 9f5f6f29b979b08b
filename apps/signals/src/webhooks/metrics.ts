import { Counter, Gauge, Histogram } from 'prom-client';

export const attempts = new Histogram({
  name: 'holdfast_webhook_attempt_seconds',
  help: 'Duration of attempts to send a message to a webhook endpoint, by outcome',
  labelNames: ['outcome'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
});

export const firstAttemptLag = new Histogram({
  name: 'holdfast_webhook_lag_seconds',
  help: 'Time from an event in the feed to the first attempt to send it to an endpoint that is active',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 60],
});

export const pendingMessages = new Gauge({
  name: 'holdfast_webhook_pending_messages',
  help:
    'Messages that active endpoints have not got yet: `ready` of endpoints that succeed, `failing` of those whose ' +
    'last attempt failed',
  labelNames: ['endpoints'],
});

export const oldestReadySeconds = new Gauge({
  name: 'holdfast_webhook_oldest_ready_seconds',
  help: 'For how long the oldest due message to an endpoint that succeeds has waited',
});

export const disabledEndpoints = new Counter({
  name: 'holdfast_webhook_endpoints_disabled_total',
  help: 'Webhook endpoints that were disabled because of what their receivers answer, by cause',
  labelNames: ['cause'],
});
