import { Counter, Histogram } from 'prom-client';

export const handlerSeconds = new Histogram({
  name: 'holdfast_handler_seconds',
  help: 'Time a handler took to answer a contract, by contract and code',
  labelNames: ['contract', 'code'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

export const eventsApplied = new Counter({
  name: 'holdfast_events_applied_total',
  help: 'Events that a consumer has applied, repeats included',
  labelNames: ['stream'],
});

export const messagesDropped = new Counter({
  name: 'holdfast_bus_messages_dropped_total',
  help: 'Messages of the bus that were not accepted: not from whom they may come, or not of the form they must have',
  labelNames: ['subject', 'reason'],
});
