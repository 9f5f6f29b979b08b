import { statement, type Sql } from '@holdfast/data';

/** Rows that one statement deletes. */
export const dropBatchSize = 5000;

/** The rows of one relay: those of a shard's bus, or those of the service's own bus, whose shard is null. */
const ofShard = (parameter: string): string => `shard IS NOT DISTINCT FROM ${parameter}::text`;

export const recordPublished = statement(
  'outbox_published',
  `UPDATE outbox SET stream_seq = p.seq, published_at = now()
   FROM unnest($1::uuid[], $2::bigint[]) AS p(id, seq) WHERE outbox.id = p.id AND outbox.stream_seq IS NULL`,
);
/** A row younger than a second is being published right now, so it is left out unless `$1` includes all. */
export const unpublished = statement(
  'outbox_unpublished',
  `SELECT id, aggregate, subject, payload,
     (SELECT coalesce(sum(retries), 0)::int FROM quarantined_event q WHERE q.event = outbox.id) AS retries FROM outbox
   WHERE stream_seq IS NULL AND ($1 OR created_at < now() - interval '1 second') AND id <> ALL ($2::uuid[])
     AND ${ofShard('$3')}
   ORDER BY created_at, id LIMIT 500`,
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
 * Rows that every consumer has applied. Only rows that were published before JetStream was queried (`$2`) count,
 * because sequence numbers restart when JetStream has lost its files. A consumer also acknowledges an event that it has
 * quarantined without applying it, so quarantined events do not count.
 */
const applied = `NOT confirmed AND stream_seq > $3 AND stream_seq <= $1 AND published_at < $2 AND ${ofShard('$5')}
     AND NOT EXISTS (SELECT FROM quarantined_event q WHERE q.held AND q.event = outbox.id)`;
/** Nothing reads these rows again: one deletion is cheaper than an update of every index and a deletion later. */
export const confirm = statement(
  'outbox_confirm',
  `DELETE FROM outbox WHERE ${applied} AND subject <> ALL ($4::text[])`,
);
/** The producer deletes rows of these subjects itself (`confirmedByProducer` in libs/contracts). */
export const confirmRetained = statement(
  'outbox_confirm_retained',
  `UPDATE outbox SET confirmed = true WHERE ${applied} AND subject = ANY ($4::text[])`,
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

/** What the consumers have acknowledged, by JetStream's reply, and which rows that reply covers. */
export interface AppliedUpTo {
  /** Every consumer has acknowledged everything up to this sequence number. */
  floor: number;
  /** Rows published at this time or later do not count. */
  publishedBefore: Date;
  /** Sequence numbers up to this one are not trusted (Relay). */
  ahead: number;
  /** Whose bus it is; null for the service's own. */
  shard: string | null;
}

/** @param retainedSubjects subjects of events whose rows stay until their producer deletes them */
export async function confirmApplied(
  sql: Sql,
  { floor, publishedBefore, ahead, shard }: AppliedUpTo,
  retainedSubjects: readonly string[],
): Promise<void> {
  const values = [floor, publishedBefore, ahead, retainedSubjects, shard];
  await sql.rows(confirm, values);
  if (retainedSubjects.length > 0) await sql.rows(confirmRetained, values);
}
