import { Counter, Gauge } from 'prom-client';
import type { Contract, RequestContext, ServiceName } from '@holdfast/contracts';
import { unavailable } from '@holdfast/platform';
import { tooManyOfOrganization } from './fair-admission.js';
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
    'Requests that were not sent, because the limit of concurrent requests to one service (`service`), to all ' +
    'services (`all`), or of one organization (`organization`) was reached',
  labelNames: ['service', 'limit'],
});

/**
 * Limits the concurrent requests of a process and rejects the others before anything is sent. Queueing them would only
 * make every response arrive after its caller's timeout.
 */
export class OutgoingLimits {
  private readonly of = new Map<ServiceName, number>();
  /** Requests of contracts that are divided by organization, by service and organization. */
  private readonly ofOrganization = new Map<string, number>();
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

  /** @throws unavailable, or rate_limited for the limit of an organization, with nothing sent */
  async run<T>(
    { service, exemptFromOutgoingLimits, dividedByOrganization }: Contract,
    { org, actor, request: { method, route } }: RequestContext,
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
    const divided = dividedByOrganization ? `${service} ${org}` : undefined;
    if (divided !== undefined && (this.ofOrganization.get(divided) ?? 0) >= this.maxOfOrganization) {
      rejected.inc({ service, limit: 'organization' });
      throw tooManyOfOrganization(service);
    }
    this.change(service, 1);
    this.changeOfOrganization(divided, 1);
    this.load.accept(Math.max(this.of.get(service)! / this.options.maxPerService, this.total / this.options.max));
    try {
      return await send();
    } finally {
      this.change(service, -1);
      this.changeOfOrganization(divided, -1);
    }
  }

  private limitOf(service: ServiceName): 'service' | 'all' | undefined {
    if ((this.of.get(service) ?? 0) >= this.options.maxPerService) return 'service';
    return this.total >= this.options.max ? 'all' : undefined;
  }

  /** So that three organizations at their limit leave a quarter to the others. */
  private get maxOfOrganization(): number {
    return Math.max(1, Math.floor(this.options.maxPerService / 4));
  }

  private changeOfOrganization(divided: string | undefined, by: 1 | -1): void {
    if (divided === undefined) return;
    const count = (this.ofOrganization.get(divided) ?? 0) + by;
    if (count > 0) this.ofOrganization.set(divided, count);
    else this.ofOrganization.delete(divided);
  }

  private change(service: ServiceName, by: 1 | -1): void {
    this.total += by;
    this.of.set(service, (this.of.get(service) ?? 0) + by);
    inFlight.inc({ service }, by);
  }
}
