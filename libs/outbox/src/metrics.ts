import { Counter, Gauge } from 'prom-client';

export const outboxUnconfirmed = new Gauge({
  name: 'holdfast_outbox_unconfirmed',
  help: 'Events that are committed and not yet applied by every consumer',
});

export const outboxPublished = new Counter({
  name: 'holdfast_outbox_published_total',
  help: 'Events handed to JetStream, repeats included',
});

export const readModelWaitTimeouts = new Counter({
  name: 'holdfast_read_model_wait_timeouts_total',
  help: 'Commands that were answered before their read model had applied them',
  labelNames: ['read_model'],
});

export const eventsQuarantined = new Gauge({
  name: 'holdfast_events_quarantined',
  help: 'Events that a consumer cannot apply, kept in the outbox of their producer',
  labelNames: ['stream', 'consumer'],
});

export const publishFailures = new Counter({
  name: 'holdfast_outbox_publish_failures_total',
  help: 'Events that JetStream did not take; each stays in the outbox and is tried again',
});

export const jetStreamStores = new Gauge({
  name: 'holdfast_jetstream_stores',
  help: '1 when the last message that this process wrote to the stream was stored, 0 when it was not',
  labelNames: ['stream'],
});

export const streamBytes = new Gauge({
  name: 'holdfast_stream_bytes',
  help: 'Size of what JetStream holds of a stream',
  labelNames: ['stream'],
});

export const streamMaxBytes = new Gauge({
  name: 'holdfast_stream_max_bytes',
  help: 'Size from which JetStream discards the oldest events of a stream',
  labelNames: ['stream'],
});

export const consumerPending = new Gauge({
  name: 'holdfast_consumer_pending',
  help: 'Events of a stream that a consumer has not acknowledged',
  labelNames: ['stream', 'consumer'],
});
