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
  /** The service that a route called when it was rejected. Routes are templates, so there are few. */
  private readonly rejectedRoutes = new Map<string, ServiceName>();
  private total = 0;
  private readonly load = loadOf('outgoing requests');

  constructor(private readonly options: OutgoingLimitsOptions) {}

  /**
   * Whether a request of this route (`GET /o/{shortId}/…`) would be rejected: an earlier one was, and the limit that
   * did it is still reached. So the edge can reject it before any work, without knowing which services a route calls.
   */
  isReached(route: string): boolean {
    const service = this.rejectedRoutes.get(route);
    return service !== undefined && this.limitOf(service) !== undefined;
  }

  /** @throws unavailable, with nothing sent */
  async run<T>(
    { service, exemptFromOutgoingLimits }: Contract,
    { actor, request: { method, route } }: RequestContext,
    send: () => Promise<T>,
  ): Promise<T> {
    // Requests that a service sends for itself, such as loading keys, keep it working for every caller.
    if (exemptFromOutgoingLimits || actor.type === 'system') return send();
    const limit = this.limitOf(service);
    if (limit) {
      this.rejectedRoutes.set(`${method} ${route}`, service);
      rejected.inc({ service, limit });
      this.load.reject();
      throw unavailable(`Too many concurrent requests to ${service}; try again in a moment.`, 1, {
        dependency: 'admission',
        cause: 'overloaded',
      });
    }
    this.change(service, 1);
    this.load.accept(Math.max(this.of.get(service)! / this.options.maxPerService, this.total / this.options.max));
    try {
      return await send();
    } finally {
      this.change(service, -1);
    }
  }

  private limitOf(service: ServiceName): 'service' | 'all' | undefined {
    if ((this.of.get(service) ?? 0) >= this.options.maxPerService) return 'service';
    return this.total >= this.options.max ? 'all' : undefined;
  }

  private change(service: ServiceName, by: 1 | -1): void {
    this.total += by;
    this.of.set(service, (this.of.get(service) ?? 0) + by);
    inFlight.inc({ service }, by);
  }
}
