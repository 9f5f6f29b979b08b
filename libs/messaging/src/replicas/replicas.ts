import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  replicaAnnouncementSchema,
  replicaAnnouncementSubject,
  type ReplicaAnnouncement,
  type ServiceName,
} from '@holdfast/contracts';
import type { ChosenReplica, ReplicaChooser, RequestEnd } from '../requests/bus.js';
import { subscribeValidated } from '../subscriptions/validated-subscription.js';

/** A replica that has not announced itself for this long counts as hung: it missed four announcements. */
const silentAfterMs = 1000;
const ejectionMs = 2000;
const maxEjectionMs = 16_000;
/** A replica that has been silent for this long is removed. */
const removeAfterMs = 60_000;
const waitStepMs = 10;

type MonotonicClock = () => number;

/** One replica of a service, as its callers see it. */
class Replica implements ChosenReplica {
  announcedAt = -Infinity;
  ready = true;
  deduplicates = false;
  inFlight = 0;
  private respondedAt = -Infinity;
  private ejections = 0;
  private ejectedUntil = -Infinity;

  constructor(
    readonly id: string,
    private readonly now: MonotonicClock,
  ) {}

  isUsable(): boolean {
    const now = this.now();
    return now - this.announcedAt < silentAfterMs && now >= this.ejectedUntil;
  }

  begin(): (end: RequestEnd) => void {
    const sentAt = this.now();
    this.inFlight += 1;
    return (end) => {
      this.inFlight -= 1;
      if (end === 'response') {
        this.respondedAt = this.now();
        this.ejections = 0;
      }
      // A timeout proves a hung replica only if it has not responded to other requests meanwhile.
      if (end === 'timeout' && this.respondedAt < sentAt) this.eject();
    };
  }

  private eject(): void {
    // Requests that were sent before the ejection time out as well, and prove nothing new.
    if (this.now() < this.ejectedUntil) return;
    this.ejectedUntil = this.now() + Math.min(ejectionMs * 2 ** this.ejections, maxEjectionMs);
    this.ejections = Math.min(this.ejections + 1, 10);
  }
}

/**
 * The announced replicas of each service. It chooses, among those that are running, ready and responding, the one with
 * the fewest requests in flight. So a replica that hangs keeps only its share of the requests in flight, and receives
 * none from a second later on. A queue group of NATS would choose it until the server evicts the client
 * (docs/adr/0022-hung-replicas.md).
 */
export class Replicas implements ReplicaChooser {
  private readonly services = new Map<ServiceName, Map<string, Replica>>();
  private turn = 0;

  constructor(
    private readonly connection: NatsConnection,
    private readonly onAnnouncement: (service: ServiceName, announcement: ReplicaAnnouncement) => void = () =>
      undefined,
    private readonly now: MonotonicClock = () => performance.now(),
  ) {}

  /** Subscribes to these services' announcements now, instead of at the first request. */
  watchServices(services: Iterable<ServiceName>): void {
    for (const service of services) this.of(service);
  }

  /**
   * Waits until a replica of this service has announced itself: for processes that send one request after connecting.
   */
  async waitForReplica(service: ServiceName, timeoutMs: number): Promise<void> {
    const until = this.now() + timeoutMs;
    while (!this.choose(service) && this.now() < until) await sleep(waitStepMs);
  }

  /** Undefined when no replica is known to run: the queue group then chooses one. */
  choose(service: ServiceName, except?: string): Replica | undefined {
    const replicas = [...this.of(service).values()].filter((replica) => replica.id !== except && replica.isUsable());
    const ready = replicas.filter((replica) => replica.ready);
    const candidates = ready.length > 0 ? ready : replicas;
    if (candidates.length === 0) return undefined;
    this.turn += 1;
    let best = candidates[this.turn % candidates.length]!;
    for (const candidate of candidates) if (candidate.inFlight < best.inFlight) best = candidate;
    return best;
  }

  /** Removes a replica until it announces itself again. */
  remove(service: ServiceName, id: string): void {
    this.of(service).delete(id);
  }

  private of(service: ServiceName): Map<string, Replica> {
    let replicas = this.services.get(service);
    if (!replicas) {
      this.services.set(service, (replicas = new Map<string, Replica>()));
      const subject = replicaAnnouncementSubject(service);
      subscribeValidated(this.connection, subject, replicaAnnouncementSchema, (announcement) =>
        this.record(service, announcement),
      );
    }
    return replicas;
  }

  private record(service: ServiceName, announcement: ReplicaAnnouncement): void {
    const replicas = this.of(service);
    if (announcement.leaving) return void replicas.delete(announcement.replica);
    let replica = replicas.get(announcement.replica);
    if (!replica) {
      for (const [id, { announcedAt }] of replicas) if (this.now() - announcedAt > removeAfterMs) replicas.delete(id);
      replicas.set(announcement.replica, (replica = new Replica(announcement.replica, this.now)));
    }
    replica.announcedAt = this.now();
    replica.ready = announcement.ready !== false;
    replica.deduplicates = announcement.deduplicates === true;
    this.onAnnouncement(service, announcement);
  }
}
