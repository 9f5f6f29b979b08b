import { statement, type Sql } from '@holdfast/data';

/** Rows that one round of dropping takes. */
export const dropBatchSize = 5000;

export const recordPublished = statement(
  'outbox_published',
  `UPDATE outbox SET stream_seq = p.seq, published_at = now()
   FROM unnest($1::uuid[], $2::bigint[]) AS p(id, seq) WHERE outbox.id = p.id AND outbox.stream_seq IS NULL`,
);
/** A row younger than a second is on its way already, unless `$1` says to take all. */
export const unpublished = statement(
  'outbox_unpublished',
  `SELECT id, aggregate, subject, payload, (SELECT coalesce(sum(retries), 0)::int FROM quarantined_event q WHERE q.event = outbox.id) AS retries FROM outbox
   WHERE stream_seq IS NULL AND ($1 OR created_at < now() - interval '1 second') AND id <> ALL ($2::uuid[]) ORDER BY created_at, id LIMIT 500`,
);
export const forget = statement(
  'outbox_forget',
  'UPDATE outbox SET stream_seq = NULL, published_at = NULL WHERE NOT confirmed AND stream_seq IS NOT NULL',
);
/** JetStream drops what is older than its max age: tell it again in time. */
export const forgetOld = statement(
  'outbox_forget_old',
  `UPDATE outbox SET stream_seq = NULL, published_at = NULL WHERE NOT confirmed AND published_at < now() - interval '20 hours'`,
);
/**
 * Only what was published before JetStream was asked (`$2`): sequence numbers begin anew when it has lost its files.
 * What a consumer has quarantined it has acknowledged, and not applied.
 */
const passed = `NOT confirmed AND stream_seq > $3 AND stream_seq <= $1 AND published_at < $2
     AND NOT EXISTS (SELECT FROM quarantined_event q WHERE q.held AND q.event = outbox.id)`;
const erasing = `subject LIKE '%.subject.erasure_started'`;
/**
 * Every consumer has these, and nothing asks for them again: one deletion in place of an update of every index and a
 * deletion later.
 */
export const confirm = statement('outbox_confirm', `DELETE FROM outbox WHERE ${passed} AND NOT ${erasing}`);
/** Word of an erasure stays until its producer has written the receipt. */
export const confirmErasures = statement(
  'outbox_confirm_erasures',
  `UPDATE outbox SET confirmed = true WHERE ${passed} AND ${erasing}`,
);
export const standing = statement(
  'outbox_standing',
  `SELECT count(*)::int AS waiting, count(*) FILTER (WHERE stream_seq <= $1)::int AS dubious, coalesce(max(stream_seq), 0) AS newest, now() AS at
   FROM outbox WHERE NOT confirmed`,
);
/** What replicas of earlier versions confirmed and kept. */
export const drop = statement(
  'outbox_drop',
  `WITH gone AS (
     DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE confirmed AND created_at < now() - interval '1 hour' AND NOT ${erasing} LIMIT ${dropBatchSize}) RETURNING 1
   ) SELECT count(*)::int AS gone FROM gone`,
);

export interface Standing {
  waiting: number;
  /** Rows whose place a consumer had passed before they got it. */
  dubious: number;
  newest: number;
  at: Date;
}

export async function confirmIn(sql: Sql, upTo: unknown[]): Promise<void> {
  await sql.rows(confirm, upTo);
  await sql.rows(confirmErasures, upTo);
}
