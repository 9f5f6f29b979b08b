import { Counter, Gauge } from 'prom-client';
import type { Contract, RequestContext, ServiceName } from '@holdfast/contracts';
import { unavailable } from '@holdfast/platform';
import { loadOf } from './load.js';

export interface OutgoingLimitsOptions {
  /** Concurrent requests to all services. */
  max: number;
  /** Concurrent requests to one service, so that a hung service cannot use up `max`. */
  maxPerService: number;
}

const inFlight = new Gauge({
  name: 'holdfast_bus_requests_in_flight',
  help: 'Requests over NATS that have no response yet, by called service',
  labelNames: ['service'],
});
const rejected = new Counter({
  name: 'holdfast_bus_requests_rejected_total',
  help:
    'Requests that were not sent, because the limit of concurrent requests to one service (`service`) ' +
    'or to all services (`all`) was reached',
  labelNames: ['service', 'limit'],
});

/**
 * Limits the concurrent requests of a process and rejects the others before anything is sent. Queueing them would only
 * make every response arrive after its caller's timeout.
 */
export class OutgoingLimits {
  private readonly of = new Map<ServiceName, number>();
  private total = 0;
  private readonly load = loadOf('outgoing requests');

  constructor(private readonly options: OutgoingLimitsOptions) {}

  /** @throws unavailable, with nothing sent */
  async run<T>(
    { service, exemptFromOutgoingLimits }: Contract,
    { actor }: RequestContext,
    send: () => Promise<T>,
  ): Promise<T> {
    // Requests that a service sends for itself, such as loading keys, keep it working for every caller.
    if (exemptFromOutgoingLimits || actor.type === 'system') return send();
    const concurrent = this.of.get(service) ?? 0;
    const limit =
      concurrent >= this.options.maxPerService ? 'service' : this.total >= this.options.max ? 'all' : undefined;
    if (limit) {
      rejected.inc({ service, limit });
      this.load.reject();
      throw unavailable(`Too many concurrent requests to ${service}; try again in a moment.`, 1, {
        dependency: 'admission',
        cause: 'overloaded',
      });
    }
    this.change(service, 1);
    this.load.accept(Math.max((concurrent + 1) / this.options.maxPerService, this.total / this.options.max));
    try {
      return await send();
    } finally {
      this.change(service, -1);
    }
  }

  private change(service: ServiceName, by: 1 | -1): void {
    this.total += by;
    this.of.set(service, (this.of.get(service) ?? 0) + by);
    inFlight.inc({ service }, by);
  }
}
