import type { Told } from './told.js';

/** How long an event waits for those before it: then it goes in, since a reader waits for it. Milliseconds. */
export const maxWaitMs = 60_000;

/** How far an aggregate's events have come. */
export interface Progress {
  version: number;
  erased: boolean;
}

/** What the database knows about the aggregates of a batch, read while the heads of their feeds are held. */
export interface Known {
  /** Last place given out, by organization. */
  heads: ReadonlyMap<string, number>;
  /** By key. */
  progress: ReadonlyMap<string, Progress>;
  /** Ids of events that have their place. */
  placed: ReadonlySet<string>;
  waiting: readonly Told[];
}

export interface Placed {
  entries: (Told & { seq: number })[];
  /** Aggregates that have moved. */
  progress: Map<string, Progress>;
  /** What must wait from now on. */
  waiting: Told[];
  /** Ids of those that need not wait any more. */
  settled: string[];
  /** Keys of customers whose earlier events go. */
  erased: Set<string>;
  /** Those that went in before their predecessor, or after their successor. */
  unordered: Told[];
}

/**
 * Gives events their places: those of one aggregate by version, each once. One that comes too early waits for those
 * before it; an erasure waits for nothing, since what came before goes, and nothing of that customer is taken
 * afterwards.
 */
export function place(events: readonly Told[], known: Known, now: Date): Placed {
  let entries: Told[] = [];
  const progress = new Map<string, Progress>();
  const erased = new Set<string>();
  const unordered: Told[] = [];
  const pools = new Map<string, Told[]>();
  const poolOf = (key: string) =>
    pools.get(key) ??
    pools
      .set(
        key,
        known.waiting.filter((w) => w.key === key),
      )
      .get(key)!;
  const progressOf = (key: string) => progress.get(key) ?? known.progress.get(key) ?? { version: 0, erased: false };

  const enter = (told: Told) => {
    const before = progressOf(told.key);
    progress.set(told.key, { version: Math.max(before.version, told.version), erased: before.erased || told.erases });
    if (told.data === undefined) return;
    entries.push(told);
    if (!told.erases && told.version !== before.version + 1) unordered.push(told);
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

  for (const told of events) {
    const pool = poolOf(told.key);
    if (known.placed.has(told.id) || entries.some((e) => e.id === told.id) || pool.some((t) => t.id === told.id))
      continue;
    if (told.erases) {
      // Said once more after the receipt, it must not take that away.
      if (told.data === undefined && progressOf(told.key).erased) continue;
      erased.add(told.key);
      entries = entries.filter((e) => e.key !== told.key);
      pools.set(told.key, []);
      enter(told);
    } else if (!progressOf(told.key).erased) {
      pool.push(told);
      drain(told.key);
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
function numbered(entries: readonly Told[], given: ReadonlyMap<string, number>): Placed['entries'] {
  const heads = new Map(given);
  return entries.map((told) => {
    const seq = (heads.get(told.org) ?? 0) + 1;
    heads.set(told.org, seq);
    return { ...told, seq };
  });
}

/** The next of an aggregate that may go in: the one that follows, or came late, or has waited long enough. */
function ready(pool: readonly Told[], { version }: Progress, now: Date): Told | undefined {
  const first = pool.reduce<Told | undefined>(
    (least, t) => (!least || t.version < least.version ? t : least),
    undefined,
  );
  if (!first) return undefined;
  return first.version <= version + 1 || now.getTime() - first.since.getTime() >= maxWaitMs ? first : undefined;
}
