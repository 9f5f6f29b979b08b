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

/**
 * Of the labels of the gauges below: one for all destinations of organizations, of which there may be thousands. Those
 * of the operator, at most ten, have their id.
 */
export const ofOrganizations = 'organizations';
const labelNames = ['kind', 'destination'] as const;

export const lag = new Gauge({
  name: 'holdfast_audit_destination_lag_entries',
  help:
    'Entries of audit logs that active destinations have not confirmed yet, by kind and destination of the operator; ' +
    '`organizations` stands for those of all organizations',
  labelNames,
});

export const lagSeconds = new Gauge({
  name: 'holdfast_audit_destination_lag_seconds',
  help: 'For how long an active destination has been behind, at most, by kind and destination',
  labelNames,
});

export const failing = new Gauge({
  name: 'holdfast_audit_destinations_failing',
  help: 'Active destinations of audit logs whose last attempt failed, by kind and destination',
  labelNames,
});
