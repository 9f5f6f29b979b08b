import { Gauge, Histogram } from 'prom-client';

export const pushes = new Histogram({
  name: 'holdfast_ssf_push_seconds',
  help: 'Duration of pushes of security event tokens to receivers, by outcome',
  labelNames: ['outcome'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
});

export const pendingTokens = new Gauge({
  name: 'holdfast_ssf_pending_tokens',
  help:
    'Security event tokens that receivers of enabled streams have not got yet: `ready` of those that accept them, ' +
    '`failing` of those whose last push failed, `polled` of those that poll',
  labelNames: ['streams'],
});

export const oldestReadySeconds = new Gauge({
  name: 'holdfast_ssf_oldest_ready_seconds',
  help: 'For how long the oldest token to a receiver that accepts them has waited to be pushed',
});
