import { appendRecords, type AuditRecord, type CallContext } from '@holdfast/contracts';
import type { Bus } from './bus.js';

interface Waiting {
  org: string;
  record: AuditRecord;
  provisional?: boolean;
  done: (error?: Error) => void;
}

/** Requests that may be under way at once; what comes meanwhile rides in the next batch. */
const parallel = 2;
const batchSize = 200;

/**
 * Writes records that belong to no change, many in one message. The promise resolves when the record has its place in
 * the log, and rejects with `unavailable` when audit is away: the caller then gives no data out (product §7).
 */
export class AuditWriter {
  private queue: Waiting[] = [];
  private running = 0;

  constructor(private readonly bus: Bus) {}

  append(org: string, record: AuditRecord, provisional = false): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ org, record, ...(provisional && { provisional }), done: (error) => (error ? reject(error) : resolve()) });
      void this.send();
    });
  }

  private async send(): Promise<void> {
    if (this.running >= parallel || this.queue.length === 0) return;
    this.running += 1;
    const batch = this.queue.splice(0, batchSize);
    try {
      await this.bus.request(appendRecords, { records: batch.map(({ done: _, ...rest }) => rest) }, contextOf(batch[0]!));
      batch.forEach((w) => w.done());
    } catch (error) {
      batch.forEach((w) => w.done(error as Error));
    } finally {
      this.running -= 1;
      void this.send();
    }
  }
}

/** A batch speaks for many requests; the message itself carries the first one's context. */
function contextOf({ org, record }: Waiting): CallContext {
  return { org, actor: record.actor, request: record.request, auditId: record.id };
}
