import { streamEvents } from '@holdfast/contracts';
import { namedStatement, statement } from '@holdfast/data';
import { shownColumns } from './stream.js';

/** Of an organization; of one receiver, or one stream. */
export const select = statement(
  'ssf_stream_select',
  `SELECT ${shownColumns} FROM ssf_stream w LEFT JOIN audit_suspension s ON s.org = w.org
    WHERE w.org = $1 AND ($2::text IS NULL OR w.receiver = $2) AND ($3::uuid IS NULL OR w.id = $3)
    ORDER BY w.created_at, w.id`,
);
export const find = statement(
  'ssf_stream_find',
  `SELECT * FROM ssf_stream WHERE org = $1 AND ($2::text IS NULL OR receiver = $2) AND ($3::uuid IS NULL OR id = $3)
    ORDER BY created_at, id`,
);
export const lock = statement(
  'ssf_stream_lock',
  'SELECT * FROM ssf_stream WHERE org = $1 AND ($2::text IS NULL OR receiver = $2) AND id = $3 FOR UPDATE',
);
export const countStreams = statement(
  'ssf_stream_count',
  `SELECT count(*)::int AS all, count(*) FILTER (WHERE receiver = $2)::int AS own FROM ssf_stream WHERE org = $1`,
);
/** Events that come to the feed from now on are looked at. */
export const subscribe = statement('head_subscribe_streams', 'UPDATE head SET streams = true WHERE org = $1');
/** An organization without streams pays nothing for the next events. */
export const unsubscribe = statement(
  'head_unsubscribe_streams',
  'UPDATE head SET streams = false WHERE org = $1 AND NOT EXISTS (SELECT FROM ssf_stream WHERE org = $1)',
);
export const insert = namedStatement(
  'ssf_stream_insert',
  {
    id: 'uuid',
    org: 'text',
    receiver: 'text',
    audience: 'text',
    description: 'text',
    events_requested: 'text[]',
    method: 'text',
    endpoint_url: 'text',
    authorization_header: 'bytea',
    maker_type: 'text',
    maker_id: 'text',
    maker_name: 'text',
    created_at: 'timestamptz',
  },
  (row) =>
    `INSERT INTO ssf_stream (${Object.keys(row).join(', ')}, active_at, default_subjects)
     VALUES (${Object.values(row).join(', ')}, ${row.created_at},
       coalesce((SELECT default_subjects FROM ssf_transmitter t WHERE t.org = ${row.org}), 'ALL'))`,
);
/** The next attempts are made at once, with what is stored now. */
export const update = namedStatement(
  'ssf_stream_update',
  {
    id: 'uuid',
    description: 'text',
    events_requested: 'text[]',
    method: 'text',
    endpoint_url: 'text',
    authorization_header: 'bytea',
    paused: 'boolean',
    disabled: 'boolean',
    paused_because: 'text',
    status_reason: 'text',
    maker_type: 'text',
    maker_id: 'text',
    maker_name: 'text',
    active_at: 'timestamptz',
  },
  ({ id, ...row }) => {
    const changed = Object.entries(row).map(([column, value]) => `${column} = ${value}`);
    return `UPDATE ssf_stream w SET ${changed.join(', ')}, version = version + 1, retry_at = NULL,
        failures = CASE WHEN ${row.paused} OR ${row.disabled} THEN failures ELSE 0 END,
        failing_since = CASE WHEN ${row.paused} OR ${row.disabled} THEN failing_since END
      WHERE id = ${id}`;
  },
);
/** Its tokens are shown no more, and a job deletes them. */
export const remove = statement(
  'ssf_stream_delete',
  'WITH subjects AS (DELETE FROM ssf_subject WHERE stream = $1) DELETE FROM ssf_stream WHERE id = $1',
);
/** A disabled stream keeps nothing (SSF 1.0 §8.1.2), except what says that it is disabled. */
export const discard = statement(
  'ssf_event_discard',
  `DELETE FROM ssf_event WHERE stream = $1 AND status = 'pending' AND uri <> '${streamEvents.updated}'`,
);
/** What the receiver no longer asks for. */
export const discardOthers = statement(
  'ssf_event_discard_others',
  `DELETE FROM ssf_event WHERE stream = $1 AND status = 'pending' AND uri <> ALL ($2::text[])`,
);
/** What the transmitter says about the stream itself, at the end of what waits. */
export const addOwn = statement(
  'ssf_event_add_own',
  `INSERT INTO ssf_event (stream, seq, part, created_at, org, jti, uri, key, claims, due_at)
   SELECT $1, h.seq, coalesce((SELECT max(part) FROM ssf_event WHERE stream = $1 AND seq = h.seq AND part >= 1000), 999)
            + 1, $3, $2, $4, $5, $6, $7, $3
     FROM head h WHERE h.org = $2`,
);
export const verified = statement(
  'ssf_stream_verified',
  `UPDATE ssf_stream SET verified_at = $2, active_at = $2
    WHERE id = $1 AND (verified_at IS NULL OR verified_at <= $3) RETURNING id`,
);
export const active = statement(
  'ssf_stream_active',
  `UPDATE ssf_stream SET active_at = $2 WHERE id = $1 AND active_at < $2::timestamptz - interval '1 minute'`,
);
export const setSubject = statement(
  'ssf_subject_set',
  `INSERT INTO ssf_subject (stream, key, added, org) VALUES ($1, $2, $3, $4)
   ON CONFLICT (stream, key) DO UPDATE SET added = excluded.added WHERE ssf_subject.added <> excluded.added
   RETURNING stream`,
);
export const clearSubject = statement(
  'ssf_subject_clear',
  'DELETE FROM ssf_subject WHERE stream = $1 AND key = $2 RETURNING stream',
);
export const countSubjects = statement(
  'ssf_subject_count',
  'SELECT count(*)::int AS count FROM ssf_subject WHERE stream = $1',
);
/** What waits about a subject that was removed. */
export const discardSubject = statement(
  'ssf_event_discard_subject',
  `DELETE FROM ssf_event WHERE stream = $1 AND key = $2 AND status = 'pending'`,
);

/** URIs that stay in a stream whatever it carries. */
export const ownUris: readonly string[] = Object.values(streamEvents);
