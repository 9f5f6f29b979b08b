import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEvent, followAuditEvents, LogGrowth, ReplyOf } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

export type ReadOn = (after: number | undefined) => Promise<ReplyOf<typeof followAuditEvents>>;

const intervalMs = 1000;

/**
 * The entries after a place, oldest first and each once: those that exist, and then, with `follow`, each new one. While
 * audit is unavailable it waits. It ends when `signal` is aborted.
 */
export async function* eventsAfter(
  read: ReadOn,
  place: number,
  follow: boolean,
  signal?: AbortSignal,
): AsyncGenerator<AuditEvent> {
  for (let after = place; !signal?.aborted;) {
    const page = await unlessUnavailable(() => read(after), follow);
    if (page) {
      for (const event of page.items) {
        if (signal?.aborted) return;
        yield event;
      }
      after = page.after;
      if (page.hasMore) continue;
      if (!follow) return;
    }
    await pause(signal);
  }
}

/** The logs of all organizations. */
export interface Logs {
  ends: () => Promise<LogGrowth>;
  read: (org: string, after: number) => ReturnType<ReadOn>;
}

/**
 * The entries of all logs, those of each in order: from now on, or `fromBeginning`, also of logs that begin later. A
 * log that has not grown is not read.
 */
export async function* eventsOfAll(
  { ends, read }: Logs,
  fromBeginning: boolean,
  follow: boolean,
  signal?: AbortSignal,
): AsyncGenerator<{ of: string; event: AuditEvent }> {
  const places = new Map<string, number>(fromBeginning ? [] : await ends());
  while (!signal?.aborted) {
    for (const [of, end] of (await unlessUnavailable(ends, follow)) ?? []) {
      for (let hasMore = (places.get(of) ?? 0) < end; hasMore && !signal?.aborted;) {
        const page = await unlessUnavailable(() => read(of, places.get(of) ?? 0), follow);
        for (const event of page?.items ?? []) yield { of, event };
        if (page) places.set(of, page.after);
        hasMore = page?.hasMore ?? false;
      }
    }
    if (!follow) return;
    await pause(signal);
  }
}

async function unlessUnavailable<T>(work: () => Promise<T>, follow: boolean): Promise<T | undefined> {
  return work().catch((error: unknown) => {
    if (!follow || !(error instanceof AppError) || error.code !== 'unavailable') throw error;
    return undefined;
  });
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  await delay(intervalMs, undefined, signal && { signal }).catch(() => undefined);
}

/** One line for a person: when, who, what, to what, and how it ended unless it succeeded. */
export function lineOf({ seq, occurredAt, actor, action, targets, outcome }: AuditEvent): string {
  const by = actor.name === undefined ? `${actor.type} ${actor.id}` : `${actor.type} ${actor.id} (${actor.name})`;
  const to = targets.map(({ type, id }) => ` ${type} ${id}`).join(',');
  const end = outcome.result === 'success' ? '' : ` – ${outcome.result} ${outcome.code ?? ''}`.trimEnd();
  const count = outcome.count === undefined ? '' : ` × ${outcome.count}`;
  return `${seq}  ${occurredAt}  ${by}  ${action}${to}${end}${count}`;
}
