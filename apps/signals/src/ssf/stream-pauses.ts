import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import { streamEvents, type DomainEvent } from '@holdfast/contracts';
import { Database, isNotFenced, statement, type Sql } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { auditRecord, CLOCK, customerKey, newId, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { lockFeed } from '../feed/feed-lock.js';
import { addOwn, remove, unsubscribe } from './stream-statements.js';
import { inactivityTimeoutSeconds, streamTarget, type PausedBecause } from './stream.js';

/** Nothing but failures for so long, and not a single one on a quiet day. */
const failingMs = 5 * 86_400_000;
const minFailures = 3;
const batchSize = 100;

const due = statement(
  'ssf_stream_due_to_pause',
  `SELECT id, org, CASE WHEN method = 'poll' THEN 'inactivity' ELSE 'failures' END AS because FROM ssf_stream w
    WHERE NOT paused AND NOT disabled AND ${isNotFenced('w.org')} AND CASE WHEN method = 'poll'
      THEN active_at <= $1::timestamptz ELSE failing_since <= $2::timestamptz AND failures >= ${minFailures} END
    LIMIT ${batchSize}`,
);
const pause = statement(
  'ssf_stream_pause_itself',
  `UPDATE ssf_stream SET paused = true, paused_because = $2, status_reason = $3, version = version + 1
    WHERE id = $1 AND NOT paused AND NOT disabled RETURNING id`,
);
const ofReceivers = statement(
  'ssf_stream_of_receivers',
  `SELECT w.id, w.org FROM ssf_stream w JOIN unnest($1::text[], $2::text[]) AS r(org, receiver)
       ON w.org = r.org AND w.receiver = r.receiver`,
);

const reasons: Record<'failures' | 'inactivity', string> = {
  failures: 'The receiver has accepted nothing for five days',
  inactivity: 'The receiver has not polled for thirty days',
};

/** What the transmitter does by itself: it pauses streams whose receiver is gone, and deletes those of deleted ones. */
@Injectable()
export class StreamPauses {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'ssf_stream_pauses',
    intervalMs: 60_000,
    requiresAgreedClock: true,
    failure: 'Failed to pause streams whose receivers are gone. It is repeated',
  })
  async pauseInactive(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const values = [new Date(nowMs - inactivityTimeoutSeconds * 1000), new Date(nowMs - failingMs)];
    const found = await this.database.rows<{ id: string; org: string; because: 'failures' | 'inactivity' }>(
      due,
      values,
    );
    for (const stream of found) await this.pauseOne(stream);
  }

  /** A deleted receiver never returns. */
  async apply(events: readonly DomainEvent[]): Promise<void> {
    const deleted = events.flatMap((event) =>
      event.type === 'app.deleted' && 'app' in event && typeof event.app === 'string'
        ? [{ org: event.org, receiver: event.app }]
        : [],
    );
    if (deleted.length === 0) return;
    const values = [deleted.map(({ org }) => org), deleted.map(({ receiver }) => receiver)];
    for (const { id, org } of await this.database.rows<{ id: string; org: string }>(ofReceivers, values))
      await this.commit(org, id, 'ssf_stream.delete', undefined, async (sql) => {
        await sql.rows(remove, [id]);
        await sql.rows(unsubscribe, [org]);
        return true;
      });
  }

  private pauseOne({ id, org, because }: { id: string; org: string; because: keyof typeof reasons }): Promise<void> {
    const reason = reasons[because];
    return this.commit(org, id, 'ssf_stream.pause', because, async (sql) => {
      if ((await sql.rows(pause, [id, because, reason])).length === 0) return false;
      const jti = newId();
      const event = { [streamEvents.updated]: { status: 'paused', reason } };
      const claims = JSON.stringify({ txn: jti, sub_id: { format: 'opaque', id }, events: event });
      await sql.rows(addOwn, [id, org, this.clock.now(), jti, streamEvents.updated, customerKey(org, id), claims]);
      return true;
    });
  }

  /** With its record, if it changes anything. The lock of the feed first, as every change of a stream. */
  private async commit(
    org: string,
    id: string,
    action: 'ssf_stream.pause' | 'ssf_stream.delete',
    because: PausedBecause | undefined,
    change: (sql: Sql) => Promise<boolean>,
  ): Promise<void> {
    const record = auditRecord({ ...systemContext('signals'), auditId: newId() }, this.clock.now(), {
      action,
      targets: [streamTarget(id)],
      outcome: { result: 'success' },
      ...(because && { changes: { paused: { to: true }, pausedBecause: { to: because } } }),
    });
    const isChanged = await this.database.transaction(async (sql) => {
      await sql.rows(lockFeed, [org]);
      const changed = await change(sql);
      if (changed) await this.records.add(sql, org, record);
      return changed;
    });
    if (isChanged) await this.records.append(org, record);
  }
}
