import { appendRecords, mainShard, type AuditRecord, type RequestContext } from '@holdfast/contracts';
import { isMisdirected, type Bus } from '@holdfast/messaging';
import { AppError, auditRecordBytes, Batcher, halvesOf, unavailable } from '@holdfast/platform';

interface Waiting {
  org: string;
  record: AuditRecord;
  bytes: number;
  provisional?: boolean;
  committed?: boolean;
  timedOut?: boolean;
  done: (error?: Error) => void;
}

/** Records that wait for audit. Further ones are rejected at once, so that a hung audit does not fill the memory. */
const maxWaiting = 10_000;

interface AppendOptions {
  provisional?: boolean;
  committed?: boolean;
  timeoutMs?: number;
}

/**
 * Appends records that belong to no change, many in one message. The promise resolves when the record is appended to
 * the log, and rejects with `unavailable` when it cannot be: the caller then returns no data (product §7). It settles
 * within the contract's timeout, or `timeoutMs`, however many records wait before it. Each shard has a queue of its
 * own, so that an audit service that hangs delays only the records of its shard.
 */
export class AuditWriter {
  private readonly queues = new Map<string, RecordQueue>();

  constructor(private readonly bus: Bus) {}

  async append(org: string, record: AuditRecord, options: AppendOptions = {}): Promise<void> {
    const shard = (await this.bus.shards?.of(org)) ?? mainShard;
    let queue = this.queues.get(shard);
    if (!queue) this.queues.set(shard, (queue = new RecordQueue(this.bus)));
    return queue.append(org, record, options);
  }
}

/** The records of one shard that wait for its audit service. */
class RecordQueue {
  /** Each message costs audit a transaction. Timed-out records do not flood audit when it is available again. */
  private readonly batcher = new Batcher<Waiting>((batch) => this.write(batch), {
    maxItems: 200,
    // Half of what a message of the bus may have: one that is larger is not sent, and would fail all of its records.
    maxBytes: 500_000,
    bytesOf: ({ bytes }) => bytes,
    maxInFlight: 2,
    slowAfterMs: 20,
    isFirstSentAtOnce: true,
    windowMs: 1,
    isObsolete: ({ timedOut }) => timedOut === true,
  });

  constructor(private readonly bus: Bus) {}

  append(
    org: string,
    record: AuditRecord,
    { provisional = false, committed = false, timeoutMs = appendRecords.timeoutMs }: AppendOptions,
  ): Promise<void> {
    if (this.batcher.waiting >= maxWaiting)
      return Promise.reject(
        unavailable('the audit log cannot keep up', 1, { dependency: 'audit', cause: 'overloaded' }),
      );
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        org,
        record,
        bytes: auditRecordBytes(record),
        ...(provisional && { provisional }),
        ...(committed && { committed }),
        done: (error) => (clearTimeout(timer), error ? reject(error) : resolve()),
      };
      const timer = setTimeout(() => {
        waiting.timedOut = true;
        waiting.done(unavailable('the audit log did not answer in time', 1, { dependency: 'audit', cause: 'timeout' }));
      }, timeoutMs);
      this.batcher.add(waiting);
    });
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
      // A record that audit rejects must not keep the others from being appended. If audit is unavailable, sending them
      // one by one would not help.
      const byOrganization = [...Map.groupBy(batch, ({ org }) => org).values()];
      // One of them moves, or has moved, to another shard: alone, each is sent to its own.
      if (isMisdirected(error) && byOrganization.length > 1)
        await Promise.all(byOrganization.map((records) => this.write(records)));
      else if (!(error instanceof AppError && error.code === 'invalid_request'))
        batch.forEach((w) => w.done(error as Error));
      else if (batch.length === 1) batch[0]!.done(unavailable('the audit log rejected this record'));
      else {
        // Between organizations first: a damaged log rejects all of its records, and those of others would be sent
        // again and again until each of these is alone.
        await Promise.all(halvesOf(batch, ({ org }) => org).map((half) => this.write(half)));
      }
    }
  }
}

/** A batch belongs to many requests. Its message has the context of the first one. */
function contextOf({ org, record }: Waiting): RequestContext {
  return { org, actor: record.actor, request: record.request, auditId: record.id };
}
