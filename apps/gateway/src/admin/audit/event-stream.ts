import type { AuditEvent } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { minReadIntervalMs, pause } from '../../edge/pause.js';
import type { Follower } from './log-growth.js';
import type { LogPage } from './log-reader.js';

/** How soon a reader notices that its connection is dead, and the longest delay after a lost hint. */
export const heartbeatMs = 15_000;
/** How soon a stream ends after its reader has lost the right to it. */
const recheckMs = 2000;
/** A reader who takes nothing for this long is disconnected. It continues where it was. */
const slowReaderMs = 30_000;
/** How long a stream waits for audit, or for the turn of its organization, before it ends. */
const maxOutageMs = 30_000;
const retryMs = 1000;
/** How long EventSource waits before it connects again. */
const reconnectMs = 3000;

interface Source {
  /** Where to begin; undefined for the end of the log. */
  after: number | undefined;
  read: (after: number | undefined) => Promise<LogPage>;
  follower: Follower;
  /** @throws AppError when the reader may get no more, or when that cannot be recorded */
  require: () => Promise<void>;
  /** Aborts when the reader has left, or the server stops. */
  signal: AbortSignal;
  /** Disconnects a reader who takes nothing. */
  disconnect: () => void;
}

/**
 * Server-Sent Events (WHATWG HTML §9.2) of a log: what it has after a `seq`, then what is appended. Nothing is read
 * before the reader has taken what was read before, so a reader costs at most one page of memory.
 */
export async function* eventStream(source: Source): AsyncGenerator<string> {
  const { signal } = source;
  let { after } = source;
  try {
    yield* inTime(source, `retry: ${reconnectMs}\n\n`);
    let sentAt = performance.now();
    let outageSince: number | undefined;
    while (!signal.aborted) {
      await source.require();
      const page = await source.read(after).catch((error: unknown) => {
        outageSince ??= performance.now();
        if (!isOutage(error) || performance.now() - outageSince > maxOutageMs) throw error;
        return undefined;
      });
      if (!page) {
        await pause(retryMs, signal);
        continue;
      }
      outageSince = undefined;
      const isFirst = after === undefined;
      after = page.after;
      const isSilent = performance.now() - sentAt >= heartbeatMs;
      if (page.items.length > 0 || isFirst || isSilent) {
        // The place of a reader with a filter moves on, although it has seen no entry.
        const frames = page.items.length > 0 ? page.items.map(frameOf).join('') : `: heartbeat\nid: ${after}\n\n`;
        yield* inTime(source, frames);
        sentAt = performance.now();
      }
      if (!page.hasMore) await untilDue(source, after, sentAt + heartbeatMs);
    }
    yield endOf(new AppError('unavailable', 'The server stops. Connect again; another one answers.'), after);
  } catch (error) {
    yield endOf(error instanceof AppError ? error : new AppError('internal'), after);
  }
}

/** Waits until the log has grown or the next heartbeat is due. @throws AppError when the reader may get no more */
async function untilDue({ follower, require, signal }: Source, after: number, heartbeatAt: number): Promise<void> {
  await pause(minReadIntervalMs, signal);
  for (;;) {
    const leftMs = heartbeatAt - performance.now();
    if (leftMs <= 0 || signal.aborted) return;
    if (await follower.waitBeyond(after, Math.min(leftMs, recheckMs), signal)) return;
    await require();
  }
}

/** Yields once, and disconnects the reader when it does not take the text in time. */
async function* inTime({ disconnect }: Source, text: string): AsyncGenerator<string> {
  const timer = setTimeout(disconnect, slowReaderMs);
  try {
    yield text;
  } finally {
    clearTimeout(timer);
  }
}

function frameOf(event: AuditEvent): string {
  return `id: ${event.seq}\nevent: audit\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Tells the reader why the stream ends, and where to continue. */
function endOf({ code, detail }: AppError, after: number | undefined): string {
  return `event: end\ndata: ${JSON.stringify({ code, detail, after })}\n\n`;
}

/** Reads of one organization may be refused while others of it run: with more streams than it has places. */
function isOutage(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'unavailable' || error.code === 'rate_limited');
}
