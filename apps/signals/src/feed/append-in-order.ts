import type { PublicEvent } from './public-event.js';

/** How long an early event waits for its predecessors. Then it is appended without them, so that readers get it. */
export const maxWaitMs = 60_000;

/** The last version of an aggregate in the feed. */
export interface Progress {
  version: number;
  erased: boolean;
}

/** The stored state of the aggregates of a batch, read while the heads of their feeds are locked. */
export interface FeedState {
  /** The last `seq` of each organization. */
  heads: ReadonlyMap<string, number>;
  /** By key. */
  progress: ReadonlyMap<string, Progress>;
  /** Ids of events that are in the feed. */
  appended: ReadonlySet<string>;
  /** Events that wait for a predecessor. */
  early: readonly PublicEvent[];
}

/** All rows that a batch writes. */
export interface FeedPlan {
  entries: (PublicEvent & { seq: number })[];
  /** Aggregates with a new version. */
  progress: Map<string, Progress>;
  /** Events that wait for a predecessor from now on. */
  early: PublicEvent[];
  /** Ids of events that no longer wait. */
  settled: string[];
  /** Keys of customers and people whose earlier events are deleted. */
  erased: Set<string>;
  /** Events that were appended before their predecessor, or after their successor. */
  unordered: PublicEvent[];
}

/**
 * Plans the feed entries of a batch: events of one aggregate by version, each once. An event that arrives early waits
 * for its predecessors. An erasure never waits, because the customer's earlier events are deleted and later ones are
 * not accepted.
 */
export function appendInOrder(events: readonly PublicEvent[], state: FeedState, now: Date): FeedPlan {
  let entries: PublicEvent[] = [];
  const progress = new Map<string, Progress>();
  const erased = new Set<string>();
  const unordered: PublicEvent[] = [];
  /** Events that are not appended yet, by key. */
  const pending = new Map<string, PublicEvent[]>();
  const pendingOf = (key: string): PublicEvent[] => {
    let list = pending.get(key);
    if (!list) pending.set(key, (list = state.early.filter((e) => e.key === key)));
    return list;
  };
  const progressOf = (key: string) => progress.get(key) ?? state.progress.get(key) ?? { version: 0, erased: false };

  const append = (event: PublicEvent) => {
    const before = progressOf(event.key);
    progress.set(event.key, {
      version: Math.max(before.version, event.version),
      erased: before.erased || event.erases,
    });
    if (event.data === undefined) return;
    entries.push(event);
    if (!event.erases && event.version !== before.version + 1) unordered.push(event);
  };
  const appendReady = (key: string) => {
    for (;;) {
      const next = nextReady(pendingOf(key), progressOf(key), now);
      if (!next) return;
      const others = pendingOf(key).filter((e) => e !== next);
      pending.set(key, others);
      append(next);
    }
  };

  for (const event of events) {
    const isSame = ({ id }: PublicEvent) => id === event.id;
    if (state.appended.has(event.id) || entries.some(isSame) || pendingOf(event.key).some(isSame)) continue;
    if (event.erases) {
      // A repeated subject.erasure_started must not delete the erasure confirmation.
      if (event.data === undefined && progressOf(event.key).erased) continue;
      erased.add(event.key);
      entries = entries.filter((e) => e.key !== event.key);
      pending.set(event.key, []);
      append(event);
    } else if (!progressOf(event.key).erased) {
      pendingOf(event.key).push(event);
      appendReady(event.key);
    }
  }
  for (const { key } of state.early) appendReady(key);
  const left = new Set([...pending.values()].flat());
  return {
    entries: withSeq(entries, state.heads),
    progress,
    early: [...left].filter((e) => !state.early.includes(e)),
    settled: state.early.filter((e) => !left.has(e)).map((e) => e.id),
    erased,
    unordered,
  };
}

/** Assigns `seq` without a gap in each organization's feed. */
function withSeq(entries: readonly PublicEvent[], before: ReadonlyMap<string, number>): FeedPlan['entries'] {
  const heads = new Map(before);
  return entries.map((event) => {
    const seq = (heads.get(event.org) ?? 0) + 1;
    heads.set(event.org, seq);
    return { ...event, seq };
  });
}

/** The pending event of an aggregate to append next: the successor, one that came late, or one that waited too long. */
function nextReady(pending: readonly PublicEvent[], { version }: Progress, now: Date): PublicEvent | undefined {
  const first = pending.reduce<PublicEvent | undefined>(
    (lowest, event) => (!lowest || event.version < lowest.version ? event : lowest),
    undefined,
  );
  if (!first) return undefined;
  return first.version <= version + 1 || now.getTime() - first.receivedAt.getTime() >= maxWaitMs ? first : undefined;
}
