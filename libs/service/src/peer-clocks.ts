import type { ReplicaAnnouncement, ServiceName } from '@holdfast/contracts';
import { cautiousMedian } from '@holdfast/platform';

/** Announcements older than this count no more: the clock may have been set since, and who is silent has no say. */
const windowMs = 5000;
/**
 * Words that came within less than this may all have been long on their way: they were waiting for us while we stood
 * still.
 */
const leastSpanMs = 2000;
/** Of one service: a stolen one could make up replicas without end. */
const maxReplicas = 64;
/** Of two clocks that differ nobody knows which is wrong. */
const minServices = 2;

interface Heard {
  receivedAtMs: number;
  /**
   * What the peer's clock showed when `performance.now()` of this process was 0, less the time that its word was on its
   * way.
   */
  epochMs: number;
}

/**
 * What the other services' machines take for the time, by their announcements (replica-announcements.ts). Each service has one vote,
 * however many replicas it has or makes up, so one that lies moves nothing.
 */
export class PeerClocks {
  private readonly services = new Map<ServiceName, Map<string, Heard[]>>();

  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  hear(service: ServiceName, { replica, atMs, leaving }: ReplicaAnnouncement): void {
    let replicas = this.services.get(service);
    if (!replicas) this.services.set(service, (replicas = new Map<string, Heard[]>()));
    const heard = replicas.get(replica) ?? [];
    replicas.delete(replica);
    if (leaving) return;
    const now = this.monotonicMs();
    replicas.set(replica, [...fresh(heard, now), { receivedAtMs: now, epochMs: atMs - now }]);
    if (replicas.size > maxReplicas) replicas.delete(replicas.keys().next().value!);
  }

  /**
   * By how much a clock, given as what it showed when `performance.now()` was 0, is ahead of the median of the other
   * services, in ms. A word that was long on its way makes us look ahead and never behind; the quickest one of each
   * replica counts. That we are behind is certain by one word, that we are ahead only by those of some seconds.
   * @returns undefined while fewer than two services are heard
   */
  aheadMs(epochMs: number): number | undefined {
    const now = this.monotonicMs();
    const votes = [...this.services.values()].flatMap((replicas) => {
      const known = [...replicas.values()].flatMap((heard) => aheadOfReplica(epochMs, fresh(heard, now)) ?? []);
      return cautiousMedian(known) ?? [];
    });
    return votes.length < minServices ? undefined : cautiousMedian(votes);
  }
}

function aheadOfReplica(epochMs: number, heard: readonly Heard[]): number | undefined {
  if (heard.length === 0) return undefined;
  const aheadMs = epochMs - Math.max(...heard.map((one) => one.epochMs));
  const spanMs = heard.at(-1)!.receivedAtMs - heard[0]!.receivedAtMs;
  return aheadMs > 0 && spanMs < leastSpanMs ? undefined : aheadMs;
}

function fresh(heard: readonly Heard[], now: number): Heard[] {
  return heard.filter(({ receivedAtMs }) => now - receivedAtMs <= windowMs);
}
