import { setTimeout as delay } from 'node:timers/promises';
import type { AuditEvent, followAuditEvents, ReplyOf } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

type ReadOn = (after: number | undefined) => Promise<ReplyOf<typeof followAuditEvents>>;

const intervalMs = 1000;

/**
 * The entries after a place, oldest first and each once: those that exist, and then, with `follow`, each new one. While
 * audit is unavailable it waits.
 */
export async function* eventsAfter(read: ReadOn, place: number, follow: boolean): AsyncGenerator<AuditEvent> {
  for (let after = place; ;) {
    const page = await read(after).catch((error: unknown) => {
      if (!follow || !(error instanceof AppError) || error.code !== 'unavailable') throw error;
      return undefined;
    });
    if (page) {
      yield* page.items;
      after = page.after;
      if (page.hasMore) continue;
      if (!follow) return;
    }
    await delay(intervalMs);
  }
}

/** One line for a person: when, who, what, to what, and how it ended unless it succeeded. */
export function lineOf({ seq, occurredAt, actor, action, targets, outcome }: AuditEvent): string {
  const by = actor.name === undefined ? `${actor.type} ${actor.id}` : `${actor.type} ${actor.id} (${actor.name})`;
  const to = targets.map(({ type, id }) => ` ${type} ${id}`).join(',');
  const end = outcome.result === 'success' ? '' : ` – ${outcome.result} ${outcome.code ?? ''}`.trimEnd();
  const count = outcome.count === undefined ? '' : ` × ${outcome.count}`;
  return `${seq}  ${occurredAt}  ${by}  ${action}${to}${end}${count}`;
}
