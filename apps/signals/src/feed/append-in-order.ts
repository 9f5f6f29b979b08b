import type { PublicEvent } from './public-event.js';

/** How long an event waits for its predecessors; then it is appended, because readers wait for it. */
export const maxWaitMs = 60_000;

/** The last version of an aggregate in the feed. */
export interface Progress {
  version: number;
  erased: boolean;
}

/** What the database knows about the aggregates of a batch, read while the heads of their feeds are held. */
export interface Known {
  /** The last `seq` of each organization. */
  heads: ReadonlyMap<string, number>;
  /** By key. */
  progress: ReadonlyMap<string, Progress>;
  /** Ids of events that are in the feed. */
  appended: ReadonlySet<string>;
  waiting: readonly PublicEvent[];
}

export interface Appended {
  entries: (PublicEvent & { seq: number })[];
  /** Aggregates with a new version. */
  progress: Map<string, Progress>;
  /** Events that must wait. */
  waiting: PublicEvent[];
  /** Ids of events that no longer wait. */
  settled: string[];
  /** Keys of customers whose earlier events are deleted. */
  erased: Set<string>;
  /** Events that were appended before their predecessor, or after their successor. */
  unordered: PublicEvent[];
}

/**
 * Appends events: those of one aggregate by version, each once. One that arrives early waits for its predecessors. An
 * erasure waits for nothing, because the customer's earlier events are deleted and later ones are not accepted.
 */
export function appendInOrder(events: readonly PublicEvent[], known: Known, now: Date): Appended {
  let entries: PublicEvent[] = [];
  const progress = new Map<string, Progress>();
  const erased = new Set<string>();
  const unordered: PublicEvent[] = [];
  const pools = new Map<string, PublicEvent[]>();
  const poolOf = (key: string) =>
    pools.get(key) ??
    pools
      .set(
        key,
        known.waiting.filter((w) => w.key === key),
      )
      .get(key)!;
  const progressOf = (key: string) => progress.get(key) ?? known.progress.get(key) ?? { version: 0, erased: false };

  const enter = (event: PublicEvent) => {
    const before = progressOf(event.key);
    progress.set(event.key, {
      version: Math.max(before.version, event.version),
      erased: before.erased || event.erases,
    });
    if (event.data === undefined) return;
    entries.push(event);
    if (!event.erases && event.version !== before.version + 1) unordered.push(event);
  };
  const drain = (key: string) => {
    for (let next = ready(poolOf(key), progressOf(key), now); next; next = ready(poolOf(key), progressOf(key), now)) {
      pools.set(
        key,
        poolOf(key).filter((t) => t !== next),
      );
      enter(next);
    }
  };

  for (const event of events) {
    const pool = poolOf(event.key);
    if (known.appended.has(event.id) || entries.some((e) => e.id === event.id) || pool.some((t) => t.id === event.id))
      continue;
    if (event.erases) {
      // Said once more after the receipt, it must not take that away.
      if (event.data === undefined && progressOf(event.key).erased) continue;
      erased.add(event.key);
      entries = entries.filter((e) => e.key !== event.key);
      pools.set(event.key, []);
      enter(event);
    } else if (!progressOf(event.key).erased) {
      pool.push(event);
      drain(event.key);
    }
  }
  for (const { key } of known.waiting) drain(key);
  const left = new Set([...pools.values()].flat());
  return {
    entries: numbered(entries, known.heads),
    progress,
    waiting: [...left].filter((t) => !known.waiting.includes(t)),
    settled: known.waiting.filter((w) => !left.has(w)).map((w) => w.id),
    erased,
    unordered,
  };
}

/** Places without a gap, in each organization's feed. */
function numbered(entries: readonly PublicEvent[], given: ReadonlyMap<string, number>): Appended['entries'] {
  const heads = new Map(given);
  return entries.map((event) => {
    const seq = (heads.get(event.org) ?? 0) + 1;
    heads.set(event.org, seq);
    return { ...event, seq };
  });
}

/** The next of an aggregate that may go in: the one that follows, or came late, or has waited long enough. */
function ready(pool: readonly PublicEvent[], { version }: Progress, now: Date): PublicEvent | undefined {
  const first = pool.reduce<PublicEvent | undefined>(
    (least, t) => (!least || t.version < least.version ? t : least),
    undefined,
  );
  if (!first) return undefined;
  return first.version <= version + 1 || now.getTime() - first.since.getTime() >= maxWaitMs ? first : undefined;
}
