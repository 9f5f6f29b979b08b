import { appendRecords, mainShard, type AuditRecord, type RequestContext } from '@holdfast/contracts';
import { isMisdirected, type Bus } from '@holdfast/messaging';
import { AppError, auditRecordBytes, unavailable, within } from '@holdfast/platform';

interface Waiting {
  org: string;
  record: AuditRecord;
  bytes: number;
  provisional?: boolean;
  committed?: boolean;
  timedOut?: boolean;
  done: (error?: Error) => void;
}

/**
 * Messages in flight to audit. Records that arrive meanwhile share the next one, because each message costs audit a
 * transaction: so a second one goes only beside one without an answer for `slowAfterMs`, which may hang.
 */
const maxInFlight = 2;
const slowAfterMs = 20;
/** How long the next message waits for further records if the last one was shared by several. */
const windowMs = 1;
const batchSize = 200;
/** Half of what a message of the bus may have: one that is larger is not sent, and would fail all of its records. */
const maxBatchBytes = 500_000;
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
  private queue: Waiting[] = [];
  private readonly inFlight = new Set<Promise<void>>();
  private isSending = false;
  private isShared = false;

  constructor(private readonly bus: Bus) {}

  append(
    org: string,
    record: AuditRecord,
    { provisional = false, committed = false, timeoutMs = appendRecords.timeoutMs }: AppendOptions,
  ): Promise<void> {
    if (this.queue.length >= maxWaiting)
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
      this.queue.push(waiting);
      void this.send();
    });
  }

  private async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    while (this.queue.length > 0) {
      if (this.isShared && this.queue.length < batchSize) await new Promise((resolve) => setTimeout(resolve, windowMs));
      // Removes timed-out records, so that audit is not flooded with them when it is available again.
      if (this.queue[0]?.timedOut) this.queue = this.queue.filter((w) => !w.timedOut);
      const batch = this.queue.splice(0, this.firstBatchSize());
      this.isShared = batch.length > 1;
      if (batch.length > 0) await this.sendBatch(batch);
    }
    this.isSending = false;
  }

  /** How many records the next message has: at least one. */
  private firstBatchSize(): number {
    let bytes = 0;
    const end = this.queue.findIndex(
      (waiting, i) => i >= batchSize || ((bytes += waiting.bytes) > maxBatchBytes && i > 0),
    );
    return end < 0 ? this.queue.length : end;
  }

  /** Resolves when the next message may go. */
  private async sendBatch(batch: Waiting[]): Promise<void> {
    const message = this.write(batch).finally(() => this.inFlight.delete(message));
    this.inFlight.add(message);
    await within(slowAfterMs, message).catch(() => undefined);
    if (this.inFlight.size === maxInFlight) await Promise.race(this.inFlight);
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
      else await Promise.all(halves(byOrganization).map((half) => this.write(half)));
    }
  }
}

/**
 * Divides a batch, if it can, between organizations: a damaged log rejects all of its records, and those of others
 * would be sent again and again until each of these is alone.
 */
function halves(byOrganization: Waiting[][]): Waiting[][] {
  const groups = byOrganization.length > 1 ? byOrganization : byOrganization.flat().map((one) => [one]);
  const middle = groups.length >> 1;
  return [groups.slice(0, middle).flat(), groups.slice(middle).flat()];
}

/** A batch belongs to many requests. Its message has the context of the first one. */
function contextOf({ org, record }: Waiting): RequestContext {
  return { org, actor: record.actor, request: record.request, auditId: record.id };
}
