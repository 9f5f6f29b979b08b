import { randomUUID } from 'node:crypto';
import {
  countDeniedRequests,
  mainShard,
  type AuditRecord,
  type RequestOf,
  type ServiceName,
} from '@holdfast/contracts';
import { isMisdirected, systemContext, type Bus } from '@holdfast/messaging';
import { newId, unavailable, within, type AppError } from '@holdfast/platform';
import { deniedRequestId, minuteOf } from './denied-request-id.js';

/** Distinct records of a minute. Further denied requests are counted per organization only. */
const maxRecords = 10_000;
/** Distinct records of a minute from one network. A misconfigured program causes a handful. */
const maxRecordsPerNetwork = 250;
/** Records in one message. */
const batchSize = 500;

interface Counted {
  org: string;
  record: AuditRecord;
  count: number;
}

/**
 * Counts requests of unauthenticated callers: denied ones (401, 429, guesses) and public ones that succeed. There is
 * one record per actor, route, reason and minute. The promise resolves when audit has stored the count, so that a kill
 * loses no counted response, and rejects with `unavailable` when audit is unavailable: then no response leaves. At most
 * one message is in flight, however many requests there are.
 */
export class DeniedRequestCounter {
  /** Later counts of this process replace its earlier ones. Audit adds those of different processes. */
  private readonly source = randomUUID();
  private minute = 0;
  private counts = new Map<string, Counted>();
  private networks = new Map<string, number>();
  private readonly senders = new Map<string, CountSender>();

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
    /** Whether the organization exists: a denied caller may have invented it. */
    private readonly exists: (org: string) => Promise<boolean> = () => Promise.resolve(true),
  ) {}

  /**
   * Time, request and trace of the first record of a minute are kept. `network` is where the request came from
   * (networkOf). A network with very many distinct records has its further ones counted together, with route `*`.
   */
  async count(org: string, record: Omit<AuditRecord, 'id'>, network: string): Promise<void> {
    this.startMinute(minuteOf(record));
    const counted =
      this.find(org, record, network) ?? ((await this.exists(org)) ? this.find(org, summaryOf(record)) : undefined);
    // An organization that does not exist has no log.
    if (!counted) return;
    const sender = await this.senderOf(org);
    counted.count += 1;
    // A count that waits behind a message without a response must not wait for two timeouts.
    await within(countDeniedRequests.timeoutMs, sender.send(counted), notCounted);
  }

  private async senderOf(org: string): Promise<CountSender> {
    const shard = (await this.bus.shards?.of(org)) ?? mainShard;
    let sender = this.senders.get(shard);
    if (!sender) this.senders.set(shard, (sender = new CountSender(this.bus, this.service, this.source)));
    return sender;
  }

  private startMinute(minute: number): void {
    if (minute === this.minute) return;
    this.minute = minute;
    this.counts = new Map();
    this.networks = new Map();
  }

  /** Finds or creates the count of this record; undefined if its network has too many distinct records already. */
  private find(org: string, record: Omit<AuditRecord, 'id'>, network?: string): Counted | undefined {
    const id = deniedRequestId(org, record);
    let counted = this.counts.get(id);
    if (counted) return counted;
    if (network !== undefined) {
      const ofNetwork = this.networks.get(network) ?? 0;
      if (ofNetwork >= maxRecordsPerNetwork || this.counts.size >= maxRecords) return undefined;
      this.networks.set(network, ofNetwork + 1);
    }
    // The record stands for many requests and is stored in clear for a minute, so the caller's own ids are removed.
    const { callerId: _, callerTraceparent: __, ...request } = record.request;
    this.counts.set(id, (counted = { org, record: { ...record, request, id }, count: 0 }));
    return counted;
  }
}

type DeniedRequests = RequestOf<typeof countDeniedRequests>['deniedRequests'];

/** Why the counts of an organization were not stored; the others were. */
type SentCounts = Map<string, Error>;

/** Sends the counts of one shard: at most one message is in flight, and counts that change meanwhile form the next. */
class CountSender {
  private changed = new Set<Counted>();
  private current: Promise<unknown> = Promise.resolve();
  private next?: Promise<SentCounts>;

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
    /** Of the process (DeniedRequestCounter). */
    private readonly source: string,
  ) {}

  /** Resolves when audit has stored this count, and all counts that have changed since the last message. */
  async send(counted: Counted): Promise<void> {
    this.changed.add(counted);
    const failed = (await (this.next ??= this.sendNext())).get(counted.org);
    if (failed) throw failed;
  }

  private async sendNext(): Promise<SentCounts> {
    await this.current;
    delete this.next;
    const sending = this.sendChanged();
    this.current = sending.catch(() => undefined);
    return sending;
  }

  private async sendChanged(): Promise<SentCounts> {
    const failures: SentCounts = new Map();
    const deniedRequests = [...this.changed].map(({ org, record, count }) => ({
      org,
      record: { ...record, outcome: { ...record.outcome, count } },
    }));
    this.changed = new Set();
    for (let i = 0; i < deniedRequests.length; i += batchSize) {
      const batch = deniedRequests.slice(i, i + batchSize);
      await this.sendBatch(batch).catch(async (error: unknown) => {
        if (!isMisdirected(error)) throw error;
        // One of them moves, or has moved, to another shard: alone, each is sent to its own.
        for (const [org, counts] of Map.groupBy(batch, (counted) => counted.org))
          await this.sendBatch(counts).catch((cause: Error) => failures.set(org, cause));
      });
    }
    return failures;
  }

  private async sendBatch(deniedRequests: DeniedRequests): Promise<void> {
    // The organization of the context determines the shard that gets the message.
    const context = { ...systemContext(this.service), org: this.bus.shards ? deniedRequests[0]!.org : '' };
    await this.bus.request(countDeniedRequests, { source: this.source, deniedRequests }, context);
  }
}

/** A record that stands for many distinct ones. Successful and denied requests have separate ones. */
function summaryOf({
  occurredAt,
  action,
  outcome: { result },
  request,
}: Omit<AuditRecord, 'id'>): Omit<AuditRecord, 'id'> {
  return {
    occurredAt,
    action: result === 'success' ? action : 'request.denied',
    actor: { type: 'anonymous', id: 'anonymous' },
    targets: [],
    outcome: { result: result === 'success' ? result : 'denied' },
    request: { id: newId(), traceparent: request.traceparent, method: '*', route: '*' },
  };
}

function notCounted(): AppError {
  return unavailable('the audit log did not answer in time', 1, { dependency: 'audit', cause: 'timeout' });
}
