import { Counter, Gauge } from 'prom-client';
import type { Contract, RequestContext, ServiceName } from '@holdfast/contracts';
import { unavailable } from '@holdfast/platform';

export interface OutgoingLimitsOptions {
  /** Requests under way at all services together. */
  max: number;
  /** At one service: one that hangs must not have all of them. */
  maxPerService: number;
}

const underWay = new Gauge({
  name: 'holdfast_bus_requests_in_flight',
  help: 'Requests over the bus that are not answered yet, by service that was asked',
  labelNames: ['service'],
});
const refused = new Counter({
  name: 'holdfast_bus_requests_rejected_total',
  help: 'Requests that were not sent: `service` when too many were under way at theirs, `all` when there were too many altogether',
  labelNames: ['service', 'because'],
});

/**
 * Bounds what a process has asked of others and not been answered, and refuses the rest before anything is sent: a
 * queue on the way would only make every answer later than its caller waits.
 */
export class OutgoingLimits {
  private readonly of = new Map<ServiceName, number>();
  private total = 0;

  constructor(private readonly options: OutgoingLimitsOptions) {}

  /** @throws unavailable, with nothing sent */
  async run<T>(contract: Contract, { actor }: RequestContext, ask: () => Promise<T>): Promise<T> {
    const { service, kind } = contract;
    // What audit is told is of work that has been done, and what a service asks for itself keeps it going.
    if (actor.type === 'system' || (service === 'audit' && kind === 'command')) return ask();
    const there = this.of.get(service) ?? 0;
    const because =
      there >= this.options.maxPerService ? 'service' : this.total >= this.options.max ? 'all' : undefined;
    if (because) {
      refused.inc({ service, because });
      throw unavailable(`More is asked of ${service} than it can answer; try again in a moment.`, 1, {
        dependency: 'admission',
        cause: 'overloaded',
      });
    }
    this.change(service, 1);
    try {
      return await ask();
    } finally {
      this.change(service, -1);
    }
  }

  private change(service: ServiceName, by: 1 | -1): void {
    this.total += by;
    this.of.set(service, (this.of.get(service) ?? 0) + by);
    underWay.inc({ service }, by);
  }
}
