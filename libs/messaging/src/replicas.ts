import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  replicaAnnouncementSchema,
  replicaAnnouncementSubject,
  type ReplicaAnnouncement,
  type ServiceName,
} from '@holdfast/contracts';
import type { ChosenReplica, ReplicaChooser } from './bus.js';
import { subscribeValidated } from './validated-subscription.js';

/** After this without a word a replica counts as hung: four announcements missed (replica-announcements.ts). */
export const silentAfterMs = 1000;
const ejectedMs = 2000;
const longestEjectionMs = 16_000;

type Clock = () => number;

/** One replica of a service, as its callers see it. */
class Replica implements ChosenReplica {
  heardAt = -Infinity;
  ready = true;
  outstanding = 0;
  private answeredAt = -Infinity;
  private timeouts = 0;
  private ejectedUntil = -Infinity;

  constructor(
    readonly id: string,
    private readonly now: Clock,
  ) {}

  usable(): boolean {
    const now = this.now();
    return now - this.heardAt < silentAfterMs && now >= this.ejectedUntil;
  }

  /** @returns what to call when the request has ended */
  begin(): (end: 'answered' | 'unanswered' | 'failed') => void {
    const sentAt = this.now();
    this.outstanding += 1;
    return (end) => {
      this.outstanding -= 1;
      if (end === 'answered') {
        this.answeredAt = this.now();
        this.timeouts = 0;
      }
      // One slow handler says nothing about a replica that answers others meanwhile.
      if (end === 'unanswered' && this.answeredAt < sentAt) this.eject();
    };
  }

  private eject(): void {
    // Those that were sent before run out as well, and say nothing new.
    if (this.now() < this.ejectedUntil) return;
    this.ejectedUntil = this.now() + Math.min(ejectedMs * 2 ** this.timeouts, longestEjectionMs);
    this.timeouts = Math.min(this.timeouts + 1, 10);
  }
}

/**
 * The replicas that have announced themselves, and which of them is to be asked: of those that live, are ready and
 * answer, the one with the fewest requests under way. So a replica that hangs keeps no more requests than its share of
 * what is under way at that moment, and gets no others from a second later on. A queue group of NATS chooses blindly
 * until it evicts a client (docs/adr/0022-hung-replicas.md).
 */
export class Replicas implements ReplicaChooser {
  private readonly services = new Map<ServiceName, Map<string, Replica>>();
  private turn = 0;

  constructor(
    private readonly connection: NatsConnection,
    /** Told of each announcement, and of who made it. */
    private readonly heard: (service: ServiceName, alive: ReplicaAnnouncement) => void = () => undefined,
    private readonly now: Clock = () => performance.now(),
  ) {}

  /** Hears these services from now on, and not only once something is asked of them. */
  watchServices(services: Iterable<ServiceName>): void {
    for (const service of services) this.of(service);
  }

  /**
   * Waits until a replica of this service is heard, `withinMs` at most: for who asks once, and has listened to nobody
   * before.
   */
  async waitForReplica(service: ServiceName, withinMs: number): Promise<void> {
    for (const until = this.now() + withinMs; !this.choose(service) && this.now() < until;) await sleep(10);
  }

  /** Undefined when none is known to live: then the queue group decides, which is never worse than not to ask. */
  choose(service: ServiceName, except?: string): Replica | undefined {
    const replicas = [...this.of(service).values()].filter((replica) => replica.id !== except && replica.usable());
    const ready = replicas.filter((replica) => replica.ready);
    const candidates = ready.length > 0 ? ready : replicas;
    if (candidates.length === 0) return undefined;
    this.turn += 1;
    let best = candidates[this.turn % candidates.length]!;
    for (const candidate of candidates) if (candidate.outstanding < best.outstanding) best = candidate;
    return best;
  }

  /** It takes no requests any more. Should it announce itself again, it is known again. */
  forget(service: ServiceName, id: string): void {
    this.of(service).delete(id);
  }

  private of(service: ServiceName): Map<string, Replica> {
    let known = this.services.get(service);
    if (!known) {
      this.services.set(service, (known = new Map<string, Replica>()));
      subscribeValidated(this.connection, replicaAnnouncementSubject(service), replicaAnnouncementSchema, (alive) =>
        this.hear(service, alive),
      );
    }
    return known;
  }

  private hear(service: ServiceName, alive: ReplicaAnnouncement): void {
    const known = this.of(service);
    if (alive.leaving) return void known.delete(alive.replica);
    let replica = known.get(alive.replica);
    if (!replica) {
      for (const [id, other] of known) if (this.now() - other.heardAt > 60_000) known.delete(id);
      known.set(alive.replica, (replica = new Replica(alive.replica, this.now)));
    }
    replica.heardAt = this.now();
    replica.ready = alive.ready !== false;
    this.heard(service, alive);
  }
}
