import { randomUUID } from 'node:crypto';
import { countDeniedRequests, type AuditRecord, type ServiceName } from '@holdfast/contracts';
import { systemContext, type Bus } from '@holdfast/messaging';
import { newId, unavailable } from '@holdfast/platform';
import { deniedRequestId, minuteOf } from './denied-request-id.js';

/** Distinct denied requests of a minute; what goes beyond is counted by organization alone. */
const most = 10_000;
/** Of one network: a program that does not find its way makes a handful. */
const mostOfNetwork = 250;
/** Of one message. */
const batchSize = 500;

interface Counted {
  org: string;
  record: AuditRecord;
  count: number;
}

/**
 * Counts what callers do whom nobody knows: denied requests (401, 429, guesses) and public requests that succeed. One record
 * per actor, route, reason and minute. The promise resolves when audit has kept the count, so that a kill loses nothing
 * that was answered, and rejects with `unavailable` when audit is away: then nothing leaves. However many there are,
 * one message is under way at a time.
 */
export class DeniedRequestCounter {
  /** Our counts replace each other; those of another process stand beside them. */
  private readonly source = randomUUID();
  private minute = 0;
  private counts = new Map<string, Counted>();
  private networks = new Map<string, number>();
  private changed = new Set<Counted>();
  private current: Promise<unknown> = Promise.resolve();
  private next?: Promise<void>;

  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
    /** Whether there is such an organization: whoever is refused may have made it up. */
    private readonly exists: (org: string) => Promise<boolean> = () => Promise.resolve(true),
  ) {}

  /**
   * The record's own time, request and trace stand for the first of its minute. `network` is whose refusal it is
   * (networkOf): one that makes very many kinds of them has the rest counted together, as `*`.
   */
  async count(org: string, record: Omit<AuditRecord, 'id'>, network: string): Promise<void> {
    this.turn(minuteOf(record));
    const counted =
      this.find(org, record, network) ?? ((await this.exists(org)) ? this.find(org, together(record)) : undefined);
    // A log that does not exist misses nothing.
    if (!counted) return;
    counted.count += 1;
    this.changed.add(counted);
    await inTime((this.next ??= this.keepNext()));
  }

  private turn(minute: number): void {
    if (minute === this.minute) return;
    this.minute = minute;
    this.counts = new Map();
    this.networks = new Map();
  }

  /** What counts this refusal; undefined when its network has too many kinds of them already. */
  private find(org: string, record: Omit<AuditRecord, 'id'>, network?: string): Counted | undefined {
    const id = deniedRequestId(org, record);
    let counted = this.counts.get(id);
    if (counted) return counted;
    if (network !== undefined) {
      const made = this.networks.get(network) ?? 0;
      if (made >= mostOfNetwork || this.counts.size >= most) return undefined;
      this.networks.set(network, made + 1);
    }
    // It stands for many, and is kept in clear until its minute is over: what the caller chose goes.
    const { callerId: _, callerTraceparent: __, ...request } = record.request;
    this.counts.set(id, (counted = { org, record: { ...record, request, id }, count: 0 }));
    return counted;
  }

  private async keepNext(): Promise<void> {
    await this.current;
    this.next = undefined;
    const keeping = this.keep();
    this.current = keeping.catch(() => undefined);
    return keeping;
  }

  private async keep(): Promise<void> {
    const deniedRequests = [...this.changed].map(({ org, record, count }) => ({
      org,
      record: { ...record, outcome: { ...record.outcome, count } },
    }));
    this.changed = new Set();
    for (let i = 0; i < deniedRequests.length; i += batchSize) {
      await this.bus.request(
        countDeniedRequests,
        { source: this.source, deniedRequests: deniedRequests.slice(i, i + batchSize) },
        systemContext(this.service),
      );
    }
  }
}

/** What succeeded must not be counted with what was refused. */
function together({
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

/** What waits behind a message that audit does not answer shall not wait twice as long. */
async function inTime(kept: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(unavailable('the audit log did not answer in time', 1, { dependency: 'audit', cause: 'timeout' })),
      countDeniedRequests.timeoutMs,
    );
  });
  await Promise.race([kept, late]).finally(() => clearTimeout(timer));
}
