import { Controller, Logger, type Type } from '@nestjs/common';
import type { BusUser, QuarantineContracts, ReplyOf, RequestContext, RequestOf } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { eventsQuarantined } from './metrics.js';

/**
 * Locks the row, so that the relay cannot confirm the event before this transaction commits. Unless the event is `$2`,
 * alone, the rows of all events of its message: they have one sequence number.
 */
const find = statement(
  'quarantine_find',
  `SELECT id FROM outbox WHERE NOT confirmed AND id IN (
     SELECT $1::uuid UNION ALL
     SELECT o.id FROM outbox e JOIN outbox o ON o.stream_seq = e.stream_seq AND o.shard IS NOT DISTINCT FROM e.shard
     WHERE e.id = $1 AND NOT e.confirmed AND NOT o.confirmed AND NOT $2::boolean)
   ORDER BY id FOR UPDATE`,
);
const hold = statement(
  'quarantine_hold',
  `INSERT INTO quarantined_event AS q (event, consumer, reason)
   SELECT event, $2, $3 FROM unnest($1::uuid[]) AS e(event)
   ON CONFLICT (event, consumer) DO UPDATE SET held = true, reason = excluded.reason`,
);
const list = statement(
  'quarantine_list',
  `SELECT q.event, regexp_replace(o.subject, '^evt\\.[^.]+\\.', '') AS type, q.consumer, q.reason, q.since, q.retries,
     q.retry_at, count(*) OVER ()::int AS count
   FROM quarantined_event q JOIN outbox o ON o.id = q.event WHERE q.held ORDER BY q.since, q.event LIMIT 200`,
);
/**
 * Releases held events: the relay publishes them again. The next retry is due 2, 4, 8 … minutes later, 60 at most. The
 * time of the release in `published_at` keeps the relay from recording the sequence number of an earlier publication,
 * which would count as delivered (relay-statements.ts).
 */
const release = (which: string): string =>
  `WITH due AS (
     UPDATE quarantined_event SET held = false, retries = retries + 1,
       retry_at = now() + least(interval '1 minute' * 2 ^ least(retries + 1, 6), interval '1 hour')
     WHERE held AND ${which} RETURNING event),
   reset AS (
     UPDATE outbox SET stream_seq = NULL, published_at = clock_timestamp()
     WHERE id IN (SELECT event FROM due) AND NOT confirmed RETURNING 1)
   SELECT count(*)::int AS count FROM reset`;
const releaseDue = statement('quarantine_release_due', release('retry_at <= now()'));
const releaseChosen = statement('quarantine_release', release('($1::uuid IS NULL OR event = $1)'));
/** Every consumer has applied these events by now. */
const deleteApplied = statement(
  'quarantine_delete_applied',
  'DELETE FROM quarantined_event q WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.id = q.event AND NOT o.confirmed)',
);
const countHeld = statement(
  'quarantine_count_held',
  'SELECT consumer, count(*)::int AS count FROM quarantined_event WHERE held GROUP BY consumer',
);

interface Row {
  event: string;
  type: string;
  consumer: string;
  reason: string;
  since: Date;
  retries: number;
  retry_at: Date;
  count: number;
}

/** Releases events that are due for a retry and counts those that are held. */
export async function maintainQuarantine(sql: Sql, stream: string, consumers: readonly string[]): Promise<void> {
  await sql.rows(deleteApplied);
  await sql.rows(releaseDue);
  const held = new Map(
    (await sql.rows<{ consumer: string; count: number }>(countHeld)).map(({ consumer, count }) => [consumer, count]),
  );
  for (const consumer of consumers) eventsQuarantined.set({ stream, consumer }, held.get(consumer) ?? 0);
}

/** The controller of a producer that keeps events which its consumers cannot apply, and lists them for the operator. */
export function quarantineController(contracts: QuarantineContracts): Type {
  const logger = new Logger('quarantine');

  @Controller()
  class Quarantine {
    constructor(private readonly database: Database) {}

    @Handles(contracts.quarantine)
    async quarantine(
      { event, reason, alone }: RequestOf<QuarantineContracts['quarantine']>,
      _: RequestContext,
      consumer: BusUser,
    ): Promise<ReplyOf<QuarantineContracts['quarantine']>> {
      const known = await this.database.transaction(async (sql) => {
        const events = (await sql.rows<{ id: string }>(find, [event, alone ?? false])).map(({ id }) => id);
        if (!events.includes(event)) return false;
        await sql.rows(hold, [events, consumer, reason]);
        return true;
      });
      if (known)
        logger.error(
          `${consumer} cannot apply event ${event} (${reason}): it is quarantined and will be delivered again. ` +
            'See "When events are quarantined" in docs/runbook.md',
        );
      else
        logger.warn(
          `${consumer} cannot apply event ${event} (${reason}), and it is not in the outbox: ` +
            'it is forged, or every consumer has applied it already',
        );
      return { known };
    }

    @Handles(contracts.list)
    async list(): Promise<ReplyOf<QuarantineContracts['list']>> {
      const rows = await this.database.rows<Row>(list);
      const events = rows.map(({ event, type, consumer, reason, since, retries, retry_at }) => ({
        event,
        type,
        consumer,
        reason,
        since: since.toISOString(),
        retries,
        retryAt: retry_at.toISOString(),
      }));
      return { events, count: rows[0]?.count ?? 0 };
    }

    @Handles(contracts.retry)
    async retry({ event }: RequestOf<QuarantineContracts['retry']>): Promise<ReplyOf<QuarantineContracts['retry']>> {
      const [row] = await this.database.rows<{ count: number }>(releaseChosen, [event ?? null]);
      return { retried: row?.count ?? 0 };
    }
  }
  Reflect.defineMetadata('design:paramtypes', [Database], Quarantine);
  return Quarantine;
}
