import { statement, withinBytes, type Sql } from '@holdfast/data';
import type { JetStreamState } from './jetstream-state.js';

/** Rows that one statement deletes. */
export const dropBatchSize = 5000;

/** The rows of one relay: those of a shard's bus, or those of the service's own bus, whose shard is null. */
const ofShard = (parameter: string): string => `shard IS NOT DISTINCT FROM ${parameter}::text`;

/** The row has not been released from quarantine since it was published: a release leaves its time (quarantine.ts). */
const notReleased = 'outbox.published_at IS NOT DISTINCT FROM p.released_at';
const recordPublished = statement(
  'outbox_published',
  `UPDATE outbox SET stream_seq = p.seq, published_at = now()
   FROM unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) AS p(id, seq, released_at)
   WHERE outbox.id = p.id AND outbox.stream_seq IS NULL AND ${notReleased}`,
);
/** Rows that one statement reads to be published, and the bytes that they have together, unless it is a single one. */
export const maxSweepRows = 500;
const maxSweepBytes = 4_000_000;
/**
 * A row younger than a second is being published right now, so it is left out unless `$1` includes all. Each row has
 * `read`: there may be more when it is larger than the number of rows, or `maxSweepRows`.
 */
export const unpublished = statement(
  'outbox_unpublished',
  withinBytes({
    query: `SELECT id, aggregate, subject, payload, created_at, published_at::text AS "releasedAt",
     (SELECT coalesce(sum(retries), 0)::int FROM quarantined_event q WHERE q.event = outbox.id) AS retries FROM outbox
   WHERE stream_seq IS NULL AND ($1 OR created_at < now() - interval '1 second') AND id <> ALL ($2::uuid[])
     AND ${ofShard('$3')}
   ORDER BY created_at, id LIMIT ${maxSweepRows}`,
    columns: 'id, aggregate, subject, payload, "releasedAt", retries',
    bytes: 'octet_length(payload)',
    order: 'created_at, id',
    maxBytes: maxSweepBytes,
  }),
);
/** Makes every unconfirmed row unpublished again. */
export const resetPublished = statement(
  'outbox_reset_published',
  `UPDATE outbox SET stream_seq = NULL, published_at = NULL
   WHERE NOT confirmed AND stream_seq IS NOT NULL AND ${ofShard('$1')}`,
);
/** JetStream discards messages at its max age of a day (declare.ts), so they are published again before that. */
export const resetOldPublished = statement(
  'outbox_reset_old_published',
  `UPDATE outbox SET stream_seq = NULL, published_at = NULL
   WHERE NOT confirmed AND published_at < now() - interval '20 hours'`,
);
/**
 * Of rows at the sequence number `seq`, those that every consumer has applied: `$1` is the floor of the consumers that
 * get all events, `$2` and `$3` are prefixes and floors of the others, `$4` is what `ahead` says (AppliedUpTo). A
 * consumer also acknowledges an event that it has quarantined without applying it, so quarantined events do not count.
 */
const applied = (seq: string): string => `${seq} > $4 AND ${seq} <= $1
     AND NOT EXISTS (SELECT FROM unnest($2::text[], $3::bigint[]) AS f(prefix, floor)
       WHERE ${seq} > f.floor AND starts_with(outbox.subject, f.prefix))
     AND NOT EXISTS (SELECT FROM quarantined_event q WHERE q.held AND q.event = outbox.id)`;
/**
 * Only rows that were published before JetStream was queried (`$6`) count, because sequence numbers restart when
 * JetStream has lost its files.
 */
const appliedAndRecorded = `NOT confirmed AND ${applied('stream_seq')} AND published_at < $6 AND ${ofShard('$7')}`;
/** Nothing reads these rows again: one deletion is cheaper than an update of every index and a deletion later. */
export const confirm = statement(
  'outbox_confirm',
  `DELETE FROM outbox WHERE ${appliedAndRecorded} AND subject <> ALL ($5::text[])`,
);
/** The same for rows whose sequence numbers are not in the table yet. */
const confirmUnrecorded = statement(
  'outbox_confirm_unrecorded',
  `DELETE FROM outbox USING unnest($6::uuid[], $7::bigint[], $8::timestamptz[]) AS p(id, seq, released_at)
   WHERE outbox.id = p.id AND outbox.stream_seq IS NULL AND ${notReleased} AND ${applied('p.seq')}
     AND subject <> ALL ($5::text[]) RETURNING outbox.id`,
);
/** The producer deletes rows of these subjects itself (`confirmedByProducer` in libs/contracts). */
export const confirmRetained = statement(
  'outbox_confirm_retained',
  `UPDATE outbox SET confirmed = true WHERE ${appliedAndRecorded} AND subject = ANY ($5::text[])`,
);
export const readBacklog = statement(
  'outbox_backlog',
  `SELECT count(*)::int AS unconfirmed, count(*) FILTER (WHERE stream_seq <= $1)::int AS undeliverable,
     coalesce(max(stream_seq), 0) AS newest, now() AS at
   FROM outbox WHERE NOT confirmed AND ${ofShard('$2')}`,
);
/** Deletes rows that replicas of earlier versions confirmed and kept. */
export const deleteConfirmed = statement(
  'outbox_delete_confirmed',
  `WITH deleted AS (
     DELETE FROM outbox WHERE id IN (
       SELECT id FROM outbox WHERE confirmed AND created_at < now() - interval '1 hour' AND subject <> ALL ($1::text[])
       LIMIT ${dropBatchSize}) RETURNING 1
   ) SELECT count(*)::int AS deleted FROM deleted`,
);

export interface Backlog {
  unconfirmed: number;
  /** Rows at a sequence number that a consumer had passed before they got it: it never receives them. */
  undeliverable: number;
  newest: number;
  at: Date;
}

/** What the consumers have acknowledged, by JetStream's reply, and what that means for rows. */
export interface AppliedUpTo extends Pick<JetStreamState, 'floor' | 'filtered'> {
  /** Sequence numbers up to this one are not trusted (Relay). */
  ahead: number;
  /** Subjects of events whose rows stay until their producer deletes them. */
  retainedSubjects: readonly string[];
}

function valuesOf({ floor, filtered, ahead, retainedSubjects }: AppliedUpTo): unknown[] {
  return [floor, filtered.map((f) => f.prefix), filtered.map((f) => f.floor), ahead, retainedSubjects];
}

/** @param rows those with recorded sequence numbers: published before a time, on the bus of a shard (null: the own) */
export async function confirmApplied(
  sql: Sql,
  upTo: AppliedUpTo,
  rows: { publishedBefore: Date; shard: string | null },
): Promise<void> {
  const values = [...valuesOf(upTo), rows.publishedBefore, rows.shard];
  await sql.rows(confirm, values);
  if (upTo.retainedSubjects.length > 0) await sql.rows(confirmRetained, values);
}

/** An event that JetStream has stored. */
export interface AcknowledgedEvent {
  id: string;
  /** Its sequence number in the stream. */
  seq: number;
  /** When its row had last been released from quarantine, as PostgreSQL's text; null if never. */
  releasedAt: string | null;
}

const columnsOf = (events: readonly AcknowledgedEvent[]): unknown[] => [
  events.map(({ id }) => id),
  events.map(({ seq }) => seq),
  events.map(({ releasedAt }) => releasedAt),
];

/** Writes the sequence numbers into the rows of events. */
export async function recordSequenceNumbers(sql: Sql, events: readonly AcknowledgedEvent[]): Promise<void> {
  await sql.rows(recordPublished, columnsOf(events));
}

/** @returns the ids of the events whose rows were deleted */
export async function confirmUnrecordedRows(
  sql: Sql,
  upTo: AppliedUpTo,
  events: readonly AcknowledgedEvent[],
): Promise<string[]> {
  const values = [...valuesOf(upTo), ...columnsOf(events)];
  return (await sql.rows<{ id: string }>(confirmUnrecorded, values)).map(({ id }) => id);
}
