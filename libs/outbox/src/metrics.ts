import { Counter, Gauge } from 'prom-client';

export const outboxUnconfirmed = new Gauge({
  name: 'holdfast_outbox_unconfirmed',
  help: 'Events that are committed and not yet acknowledged by every consumer',
  labelNames: ['shard'],
});

export const outboxPublished = new Counter({
  name: 'holdfast_outbox_published_total',
  help: 'Events published to JetStream, repetitions included',
});

export const readModelWaitTimeouts = new Counter({
  name: 'holdfast_read_model_wait_timeouts_total',
  help: 'Commands whose response left before the read model had applied their event',
  labelNames: ['read_model'],
});

export const eventsQuarantined = new Gauge({
  name: 'holdfast_events_quarantined',
  help: 'Quarantined events: a consumer cannot apply them, and the outbox of their producer keeps them',
  labelNames: ['stream', 'consumer'],
});

export const publishFailures = new Counter({
  name: 'holdfast_outbox_publish_failures_total',
  help: 'Events that JetStream did not store; each stays in the outbox and is published again',
});

export const jetStreamStores = new Gauge({
  name: 'holdfast_jetstream_stores',
  help: '1 when the stream stored the last message that this process published to it, otherwise 0',
  labelNames: ['stream', 'shard'],
});

export const streamBytes = new Gauge({
  name: 'holdfast_stream_bytes',
  help: 'Size of a stream in JetStream',
  labelNames: ['stream', 'shard'],
});

export const streamMaxBytes = new Gauge({
  name: 'holdfast_stream_max_bytes',
  help: 'Size above which JetStream discards the oldest events of a stream',
  labelNames: ['stream', 'shard'],
});

export const consumerPending = new Gauge({
  name: 'holdfast_consumer_pending',
  help: 'Messages of a stream that a consumer has not acknowledged; one has up to 64 events',
  labelNames: ['stream', 'consumer', 'shard'],
});
