import { randomUUID } from 'node:crypto';
import type { JetStreamClient } from '@nats-io/jetstream';
import type { Stream } from '@holdfast/contracts';
import { publishSpan, traceHeaders } from '@holdfast/messaging';
import { inSpan, inSpanOfMessages, inTraceOf } from '@holdfast/platform';
import { bodyOf, messagesOf } from './event-messages.js';
import { outboxPublished } from './metrics.js';
import type { OutboxRow } from './outbox-row.js';
import type { AcknowledgedEvent } from './relay-statements.js';

/** Receives the result of each message. */
export interface PublicationResults {
  stored(): void;
  /** @param events how many were in the message */
  notStored(error: unknown, events: number): void;
}

/**
 * The publications of one unbroken connection, until their sequence numbers are in the rows. After a break none of its
 * acknowledgements counts: the server may have lost the end of the stream.
 */
export class Publications {
  /**
   * Part of each message id, so that JetStream's deduplication starts anew. A server that was killed can come back with
   * a message whose delivery it has lost, and would reject the message's repetition as a duplicate.
   */
  private readonly session = randomUUID();
  private batches = 0;
  /** Changes whose events are sent at the end of this turn of the event loop. */
  private changes: OutboxRow[][] = [];
  /** Events that are published and not acknowledged yet. */
  private readonly inFlight = new Set<string>();
  /** Events that JetStream has stored, by id. */
  private readonly stored = new Map<string, AcknowledgedEvent & { atMs: number }>();

  constructor(
    private readonly js: JetStreamClient,
    private readonly stream: Stream,
    private readonly results: PublicationResults,
  ) {}

  /** Publishes the events of a change. Those of other changes in the same turn of the event loop share messages. */
  publish(rows: OutboxRow[]): void {
    for (const { id } of rows) this.inFlight.add(id);
    outboxPublished.inc(rows.length);
    if (this.changes.push(rows) === 1) setImmediate(() => this.send());
  }

  /** The ids of events that need not be published again. */
  get ids(): string[] {
    return [...this.inFlight, ...this.stored.keys()];
  }

  /** What JetStream acknowledged at least `ageMs` ago. */
  acknowledged(ageMs = 0): AcknowledgedEvent[] {
    const before = performance.now() - ageMs;
    return [...this.stored.values()].filter(({ atMs }) => atMs <= before);
  }

  /** Forgets events whose rows have their sequence numbers, or are deleted. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.stored.delete(id);
  }

  private send(): void {
    const changes = this.changes;
    this.changes = [];
    for (const rows of messagesOf(changes, this.stream.batchedSubjects)) void this.sendMessage(rows);
  }

  private async sendMessage(rows: OutboxRow[]): Promise<void> {
    try {
      const { seq } = await (rows.length === 1 ? this.sendOne(rows[0]!) : this.sendSeveral(rows));
      const atMs = performance.now();
      for (const { id, releasedAt = null } of rows) this.stored.set(id, { id, seq, releasedAt, atMs });
      this.results.stored();
    } catch (error) {
      this.results.notStored(error, rows.length);
    } finally {
      for (const { id } of rows) this.inFlight.delete(id);
    }
  }

  private sendOne({ id, subject, payload, retries = 0 }: OutboxRow) {
    // JetStream drops a message whose id it has seen within two minutes, and replies with the first one's number.
    const options = { msgID: `${id}.${this.session}.${retries}`, timeout: 3000 };
    return inTraceOf(
      () => traceparentIn(payload),
      () =>
        inSpan(
          () => publishSpan(subject),
          (traceparent) => this.js.publish(subject, payload, { ...options, ...traceHeaders(traceparent) }),
        ),
    );
  }

  /**
   * The id is that of no other message: if JetStream took a further one for a repetition, it would drop events. It
   * begins with that of an event, by which the producer finds the others if a consumer of an earlier version cannot
   * read the message (quarantine.ts).
   */
  private sendSeveral(rows: OutboxRow[]) {
    const [{ id, subject }] = rows as [OutboxRow];
    this.batches += 1;
    const options = { msgID: `${id}.${this.session}.batch${this.batches}`, timeout: 3000 };
    return inSpanOfMessages(
      () => publishSpan(subject, rows.length),
      () => rows.map(({ payload }) => traceparentIn(payload)),
      () => this.js.publish(subject, bodyOf(rows), options),
    );
  }
}

/** That of the request that made the change: the row has outlived it if a sweep publishes the event. */
function traceparentIn(payload: string): string | undefined {
  return /"traceparent":"([0-9a-f-]{55})"/.exec(payload)?.[1];
}
