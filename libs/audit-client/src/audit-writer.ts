import { appendRecords, type AuditRecord, type RequestContext } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';

interface Waiting {
  org: string;
  record: AuditRecord;
  provisional?: boolean;
  committed?: boolean;
  /** Told that it took too long. */
  givenUp?: boolean;
  done: (error?: Error) => void;
}

/** Requests that may be under way at once; what comes meanwhile rides in the next batch. */
const parallel = 2;
const batchSize = 200;
/** More are waiting only when audit stands still: whoever comes then is told at once, and the memory stays as it is. */
const mostWaiting = 10_000;

/**
 * Writes records that belong to no change, many in one message. The promise resolves when the record has its place in
 * the log, and rejects with `unavailable` when it cannot have one: the caller then gives no data out (product §7).
 * Nobody waits longer than the contract's time, or `within` (ms), however many wait in front of them.
 */
export class AuditWriter {
  private queue: Waiting[] = [];
  private running = 0;

  constructor(private readonly bus: Bus) {}

  append(
    org: string,
    record: AuditRecord,
    {
      provisional = false,
      committed = false,
      within = appendRecords.timeoutMs,
    }: { provisional?: boolean; committed?: boolean; within?: number } = {},
  ): Promise<void> {
    if (this.queue.length >= mostWaiting)
      return Promise.reject(
        unavailable('the audit log cannot keep up', 1, { dependency: 'audit', cause: 'overloaded' }),
      );
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        org,
        record,
        ...(provisional && { provisional }),
        ...(committed && { committed }),
        done: (error) => (clearTimeout(timer), error ? reject(error) : resolve()),
      };
      const timer = setTimeout(() => {
        waiting.givenUp = true;
        waiting.done(unavailable('the audit log did not answer in time', 1, { dependency: 'audit', cause: 'timeout' }));
      }, within);
      this.queue.push(waiting);
      void this.send();
    });
  }

  private async send(): Promise<void> {
    if (this.running >= parallel) return;
    // Nobody waits for these any more, and there may be many: audit must not find them in its way when it is back.
    if (this.queue[0]?.givenUp) this.queue = this.queue.filter((w) => !w.givenUp);
    if (this.queue.length === 0) return;
    this.running += 1;
    await this.write(this.queue.splice(0, batchSize));
    this.running -= 1;
    void this.send();
  }

  private async write(batch: Waiting[]): Promise<void> {
    try {
      const records = batch.map(({ org, record, provisional, committed }) => ({
        org,
        record,
        ...(provisional && { provisional }),
        ...(committed && { committed }),
      }));
      await this.bus.request(appendRecords, { records }, contextOf(batch[0]!));
      batch.forEach((w) => w.done());
    } catch (error) {
      // A record that audit does not take must not keep the others from their places; while audit is away, none fares
      // better alone.
      if (!(error instanceof AppError && error.code === 'invalid_request'))
        batch.forEach((w) => w.done(error as Error));
      else if (batch.length === 1) batch[0]!.done(unavailable('the audit log does not take this record'));
      else {
        const middle = batch.length >> 1;
        await Promise.all([this.write(batch.slice(0, middle)), this.write(batch.slice(middle))]);
      }
    }
  }
}

/** A batch speaks for many requests; the message itself carries the first one's context. */
function contextOf({ org, record }: Waiting): RequestContext {
  return { org, actor: record.actor, request: record.request, auditId: record.id };
}
