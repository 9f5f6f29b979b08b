import { Counter, Gauge } from 'prom-client';
import { LatencyHistogram } from '@holdfast/platform';

export const busRequestSeconds = new LatencyHistogram({
  name: 'holdfast_bus_request_seconds',
  help: 'Duration of requests to other services over NATS as callers see it, by contract and code (`ok` or an error)',
  labelNames: ['contract', 'code'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

export const handlerSeconds = new LatencyHistogram({
  name: 'holdfast_handler_seconds',
  help: 'Duration of handlers, by contract and code',
  labelNames: ['contract', 'code'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

export const eventsConsumed = new Counter({
  name: 'holdfast_events_consumed_total',
  help:
    'Events that this consumer received, redeliveries included, by outcome: ' +
    'applied, failed (will be delivered again) or quarantined',
  labelNames: ['stream', 'outcome'],
});

export const consumerBatchSeconds = new LatencyHistogram({
  name: 'holdfast_consumer_batch_seconds',
  help: 'Duration of applying a batch of events, successful or not',
  labelNames: ['stream'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

export const consumerLastSuccess = new Gauge({
  name: 'holdfast_consumer_last_success_timestamp_seconds',
  help: 'Unix time at which this consumer last applied a batch of events',
  labelNames: ['stream'],
});

export const messagesDropped = new Counter({
  name: 'holdfast_bus_messages_dropped_total',
  help: 'NATS messages that were dropped, by subscription and reason: wrong subject, sender or body, or an error',
  labelNames: ['subject', 'reason'],
});
