import { Counter, Gauge, Histogram } from 'prom-client';

export const sentEntries = new Counter({
  name: 'holdfast_audit_destination_entries_total',
  help: 'Entries of audit logs that destinations have confirmed (`sent`) or refused for good (`rejected`), by kind',
  labelNames: ['kind', 'outcome'],
});

export const attempts = new Histogram({
  name: 'holdfast_audit_destination_attempt_seconds',
  help: 'Duration of attempts to send a batch of entries to a destination, by kind and outcome',
  labelNames: ['kind', 'outcome'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10],
});

export const lag = new Gauge({
  name: 'holdfast_audit_destination_lag_entries',
  help: 'Entries of audit logs that active destinations have not confirmed yet, by kind',
  labelNames: ['kind'],
});

export const lagSeconds = new Gauge({
  name: 'holdfast_audit_destination_lag_seconds',
  help: 'Age of the oldest entry that an active destination has not confirmed yet, at most, by kind',
  labelNames: ['kind'],
});

export const failing = new Gauge({
  name: 'holdfast_audit_destinations_failing',
  help: 'Active destinations of audit logs whose last attempt failed, by kind',
  labelNames: ['kind'],
});
