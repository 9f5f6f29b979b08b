import type { ReplicaAnnouncement, ServiceName } from '@holdfast/contracts';
import { cautiousMedian } from '@holdfast/platform';

/** Older announcements do not count: the peer's clock may have been set since, and silent peers have no vote. */
const windowMs = 5000;
/**
 * Announcements that arrived within less than this may all have been delayed: they waited while this process was
 * paused.
 */
const minSpanMs = 2000;
/** Replicas per service, because a stolen service could announce any number of them. */
const maxReplicas = 64;
/** With one other service it is unknown which of the two clocks is wrong. */
const minServices = 2;

interface Observation {
  receivedAtMs: number;
  /** The peer's time when `performance.now()` of this process was 0, less the transit time of the announcement. */
  epochMs: number;
}

/**
 * The time of the other services' machines, from their announcements (replica-announcements.ts). Each service has one
 * vote, however many replicas it announces, so one service that announces wrong times changes nothing.
 */
export class PeerClocks {
  private readonly services = new Map<ServiceName, Map<string, Observation[]>>();

  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  observe(service: ServiceName, { replica, atMs, leaving }: ReplicaAnnouncement): void {
    let replicas = this.services.get(service);
    if (!replicas) this.services.set(service, (replicas = new Map<string, Observation[]>()));
    const observations = replicas.get(replica) ?? [];
    replicas.delete(replica);
    if (leaving) return;
    const now = this.monotonicMs();
    replicas.set(replica, [...fresh(observations, now), { receivedAtMs: now, epochMs: atMs - now }]);
    if (replicas.size > maxReplicas) replicas.delete(replicas.keys().next().value!);
  }

  /**
   * By how much a clock is ahead of the median of the other services, in ms. `epochMs` is its time when
   * `performance.now()` was 0. A delayed announcement makes this clock look ahead, never behind, so the fastest
   * announcement of each replica counts. One announcement proves that this clock is behind; that it is ahead takes
   * announcements over some seconds.
   * @returns undefined while fewer than two services announce themselves
   */
  aheadMs(epochMs: number): number | undefined {
    const now = this.monotonicMs();
    const votes = [...this.services.values()].flatMap((replicas) => {
      const offsets = [...replicas.values()].flatMap(
        (observations) => aheadOfReplica(epochMs, fresh(observations, now)) ?? [],
      );
      return cautiousMedian(offsets) ?? [];
    });
    return votes.length < minServices ? undefined : cautiousMedian(votes);
  }
}

function aheadOfReplica(epochMs: number, observations: readonly Observation[]): number | undefined {
  if (observations.length === 0) return undefined;
  const aheadMs = epochMs - Math.max(...observations.map((one) => one.epochMs));
  const spanMs = observations.at(-1)!.receivedAtMs - observations[0]!.receivedAtMs;
  return aheadMs > 0 && spanMs < minSpanMs ? undefined : aheadMs;
}

function fresh(observations: readonly Observation[], now: number): Observation[] {
  return observations.filter(({ receivedAtMs }) => now - receivedAtMs <= windowMs);
}
