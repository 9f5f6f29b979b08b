import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  allOrganizations,
  listAuditLogs,
  logGrowthSchema,
  logGrowthSubject,
  type LogGrowth,
} from '@holdfast/contracts';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { Bus, subscribeValidated, systemContext } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval, Shutdown } from '@holdfast/service';
import { failing, lag, lagSeconds, ofOrganizations } from '../metrics.js';
import { Deliveries } from './deliveries.js';
import { DeliveryQueue } from './delivery-queue.js';

/** Hints are stored so often at most. */
const intervalMs = 100;
const pageSize = 500;

const owners = statement('audit_destination_owners', 'SELECT DISTINCT org FROM audit_destination');
/** Deliveries of a destination that was deleted on the shard from which their organization has moved. */
const removeOrphans = statement(
  'audit_delivery_orphans',
  `DELETE FROM audit_delivery v
    WHERE NOT EXISTS (SELECT FROM audit_destination WHERE id = v.destination) AND ${isNotFenced('v.org')}`,
);
const measure = statement(
  'audit_destination_measure',
  `SELECT d.kind, CASE WHEN d.org = '${allOrganizations}' THEN d.id::text ELSE '${ofOrganizations}' END AS destination,
     coalesce(sum(v.behind), 0)::float8 AS behind, count(*) FILTER (WHERE d.failures > 0)::int AS failing,
     coalesce(max(extract(epoch FROM $1 - v.behind_since)), 0)::float8 AS seconds
   FROM audit_destination d LEFT JOIN LATERAL (
     SELECT sum(greatest(end_seq - after_seq, 0)) AS behind, min(behind_since) AS behind_since
     FROM audit_delivery WHERE destination = d.id) v ON true
   WHERE NOT d.paused AND NOT d.suspended GROUP BY 1, 2`,
);

interface Measured {
  kind: string;
  destination: string;
  behind: number;
  failing: number;
  seconds: number;
}

/**
 * Which logs have grown: by audit's hints at once, and by reading the ends of all logs from time to time, since a hint
 * can be lost.
 */
@Injectable()
export class LogEnds implements OnApplicationBootstrap {
  /** The owners of destinations, as this process knows them. Hints about other logs cost nothing. */
  private readonly owners = new Set<string>();
  private readonly grown = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly database: Database,
    private readonly deliveries: Deliveries,
    private readonly queue: DeliveryQueue,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    subscribeValidated(this.bus.connection, logGrowthSubject, logGrowthSchema, (grown) => this.note(grown));
    this.shutdown.before(() => {
      clearTimeout(this.timer);
      return Promise.resolve();
    });
  }

  /** An organization has a destination from now on, or the operator one of all organizations. */
  watch(owner: string): void {
    this.owners.add(owner);
  }

  /** The ends of the logs of an owner, from audit. @throws unavailable */
  async read(owner: string): Promise<LogGrowth> {
    if (owner !== allOrganizations) return this.page({ orgs: [owner] });
    const logs: LogGrowth = [];
    for (let after: string | undefined; ;) {
      const page = await this.page(after === undefined ? {} : { after });
      logs.push(...page);
      if (page.length < pageSize) return logs;
      after = page.at(-1)![0];
    }
  }

  @Interval({
    name: 'audit_log_ends',
    intervalMs: 10_000,
    runAtStart: true,
    failure: 'Failed to read which audit logs have grown. Destinations that missed a hint get their entries later',
  })
  async sweep(): Promise<void> {
    const found = await this.database.rows<{ org: string }>(owners);
    this.owners.clear();
    for (const { org } of found) this.owners.add(org);
    if (found.length > 0) await this.readAll();
    await this.database.rows(removeOrphans);
    await this.showLag();
  }

  private async readAll(): Promise<void> {
    if (this.owners.has(allOrganizations)) await this.store(await this.read(allOrganizations));
    else {
      const orgs = [...this.owners];
      for (let from = 0; from < orgs.length; from += pageSize)
        await this.store(await this.page({ orgs: orgs.slice(from, from + pageSize) }));
    }
    this.queue.wake();
  }

  private async page(request: { orgs?: string[]; after?: string }): Promise<LogGrowth> {
    const { logs } = await this.bus.request(listAuditLogs, { ...request, limit: pageSize }, systemContext('signals'));
    return logs;
  }

  private async store(logs: LogGrowth): Promise<void> {
    for (let from = 0; from < logs.length; from += pageSize) {
      const grown = await this.deliveries.grow(logs.slice(from, from + pageSize));
      if (grown) this.queue.wake();
    }
  }

  private note(grown: LogGrowth): void {
    for (const [org, seq] of grown)
      if (this.owners.has(org) || this.owners.has(allOrganizations)) this.grown.set(org, seq);
    if (this.grown.size > 0) this.timer ??= setTimeout(() => void this.flush(), intervalMs);
  }

  /** What cannot be stored is found by the sweep. */
  private async flush(): Promise<void> {
    this.timer = undefined;
    const logs = [...this.grown];
    this.grown.clear();
    await this.store(logs).catch(() => undefined);
  }

  private async showLag(): Promise<void> {
    const rows = await this.database.rows<Measured>(measure, [this.clock.now()]);
    for (const gauge of [lag, lagSeconds, failing]) gauge.reset();
    for (const { kind, destination, behind, failing: count, seconds } of rows) {
      const labels = { kind, destination };
      lag.set(labels, behind);
      lagSeconds.set(labels, Math.max(0, seconds));
      failing.set(labels, count);
    }
  }
}
