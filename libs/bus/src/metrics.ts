import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';

export { register };

export const handlerSeconds = new Histogram({
  name: 'holdfast_handler_seconds',
  help: 'Time a handler took to answer a contract, by contract and code',
  labelNames: ['contract', 'code'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

export const outboxUnconfirmed = new Gauge({
  name: 'holdfast_outbox_unconfirmed',
  help: 'Events that are committed and not yet applied by every consumer',
});

export const outboxPublished = new Counter({
  name: 'holdfast_outbox_published_total',
  help: 'Events handed to JetStream, repeats included',
});

export const waitsRunOut = new Counter({
  name: 'holdfast_read_model_waits_run_out_total',
  help: 'Commands that were answered before their read model had applied them',
  labelNames: ['read_model'],
});

export const eventsApplied = new Counter({
  name: 'holdfast_events_applied_total',
  help: 'Events that a consumer has applied, repeats included',
  labelNames: ['stream'],
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

export const messagesDropped = new Counter({
  name: 'holdfast_bus_messages_dropped_total',
  help: 'Messages of the bus that were not accepted: not from whom they may come, or not of the form they must have',
  labelNames: ['subject', 'reason'],
});

export const unhandledRejections = new Counter({
  name: 'holdfast_unhandled_rejections_total',
  help: 'Errors in work that nobody waits for; each is a fault of ours, and the log has it',
});

export const clockOffset = new Gauge({
  name: 'holdfast_clock_offset_seconds',
  help: "By how much the clock of this machine is ahead of PostgreSQL's (`postgres`) and of the median of the other services' machines (`peers`), no more than is certain",
  labelNames: ['reference'],
});

export const testClockOffset = new Gauge({
  name: 'holdfast_test_clock_offset_seconds',
  help: 'By how much HOLDFAST_TEST_CLOCK makes the time wrong; anything but 0 is for tests only',
});

export function startDefaultMetrics(): void {
  if (!register.getSingleMetric('process_cpu_user_seconds_total')) collectDefaultMetrics();
}
