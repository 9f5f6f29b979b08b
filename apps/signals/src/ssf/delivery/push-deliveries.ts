import { Inject, Injectable } from '@nestjs/common';
import { streamEvents } from '@holdfast/contracts';
import { columns, Database, isNotFenced, namedStatement, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import type { MakerColumns } from '../../makers/maker-columns.js';
import type { StreamRow } from '../stream.js';
import type { Signable } from '../token-signer.js';

/** A token that this process pushes now. */
export interface Claim extends MakerColumns, Signable, Pick<StreamRow, 'failures'> {
  stream: string;
  seq: number;
  part: number;
  created_at: Date;
  lease: number;
  endpoint_url: string;
  authorization_header: Buffer | null;
  stream_version: number;
  /** When it was claimed, by performance.now(). */
  leasedAtMs: number;
}

/** What came of a push. */
export type PushOutcome =
  | { result: 'delivered' }
  | { result: 'rejected'; error: { err: string; description?: string } }
  | { result: 'failed'; detail: string; retryAfterMs?: number };

/** A process has a token for so long. If it dies, another one sends it then. */
const leaseMs = 30_000;
/** Tokens of one stream that a process sends at once; one after a failure. */
const maxOfOne = 8;
const maxPauseMs = 300_000;
const maxRetryAfterMs = 3_600_000;

const held = (alias: string) =>
  ['stream', 'seq', 'part', 'created_at', 'lease'].map((name, i) => `${alias}.${name} = $${i + 1}`).join(' AND ');

/**
 * Claims tokens that are due, the oldest first: of each subject only the first, so that their order is kept. A stream
 * that is paused or disabled gets nothing but the events that say so.
 */
const claim = namedStatement(
  'ssf_event_claim',
  {
    now: 'timestamptz',
    running: columns<[stream: string, count: number]>({
      stream: ['uuid', ([stream]) => stream],
      count: ['int', ([, count]) => count],
    }),
    limit: 'int',
  },
  ({ now, running, limit }) =>
    `WITH ready AS (
     SELECT w.id, w.paused OR w.disabled AS is_paused,
       CASE WHEN w.failures > 0 THEN 1 ELSE ${maxOfOne} END - coalesce(r.count, 0) AS room
       FROM ssf_stream w LEFT JOIN audit_suspension s ON s.org = w.org
       LEFT JOIN ${running.unnest('r')} ON r.stream = w.id
      WHERE w.method = 'push' AND w.paused_because IS DISTINCT FROM 'maker' AND NOT coalesce(s.suspended, false)
        AND (w.retry_at IS NULL OR w.retry_at <= ${now}) AND ${isNotFenced('w.org')}
        AND EXISTS (SELECT FROM ssf_event WHERE stream = w.id AND status = 'pending')
   ), due AS (
     SELECT d.* FROM ready r CROSS JOIN LATERAL (
       SELECT e.stream, e.seq, e.part, e.created_at FROM ssf_event e
        WHERE e.stream = r.id AND e.status = 'pending' AND e.due_at <= ${now}
          AND (NOT r.is_paused OR e.uri = '${streamEvents.updated}')
          AND NOT EXISTS (
            SELECT FROM ssf_event f WHERE f.stream = e.stream AND f.key = e.key AND f.status = 'pending'
               AND (f.seq, f.part) < (e.seq, e.part))
        ORDER BY e.seq, e.part LIMIT greatest(r.room, 0) FOR UPDATE SKIP LOCKED) d
      LIMIT ${limit}
   ), claimed AS (
     UPDATE ssf_event e SET lease = lease + 1, tries = tries + 1,
            due_at = ${now}::timestamptz + ${leaseMs} * interval '1 millisecond'
       FROM due WHERE e.stream = due.stream AND e.seq = due.seq AND e.part = due.part
        AND e.created_at = due.created_at
     RETURNING e.stream, e.seq, e.part, e.created_at, e.org, e.jti, e.claims, e.lease
   )
   SELECT c.*, w.receiver, w.endpoint_url, w.authorization_header, w.version AS stream_version, w.failures,
     w.maker_type, w.maker_id, w.maker_name
     FROM claimed c JOIN ssf_stream w ON w.id = c.stream ORDER BY c.seq, c.part`,
);
const stillHeld = statement('ssf_event_held', `SELECT FROM ssf_event e WHERE ${held('e')}`);
/** Only by the claim that has it now: another one, a change or an erasure may have taken it over. */
const storeEnd = statement(
  'ssf_event_end',
  `UPDATE ssf_event e SET status = $6, error = $7 WHERE ${held('e')} AND e.status = 'pending'`,
);
const release = statement('ssf_event_release', `UPDATE ssf_event e SET due_at = $6 WHERE ${held('e')}`);
/** A busy stream is not written for each of its tokens. */
const storeSuccess = statement(
  'ssf_stream_succeeded',
  `UPDATE ssf_stream SET failures = 0, failing_since = NULL, retry_at = NULL, last_success_at = $2
    WHERE id = $1 AND (failures > 0 OR last_success_at IS NULL OR last_success_at < $2::timestamptz - interval '10 s')`,
);
const storeFailure = statement(
  'ssf_stream_failed',
  `UPDATE ssf_stream SET failures = failures + 1, failing_since = coalesce(failing_since, $2), last_error = $3,
     last_error_at = $2, retry_at = $2::timestamptz + greatest($4::float8,
       least(${maxPauseMs}, 1000 * 2 ^ least(failures, 20))) * interval '1 millisecond'
    WHERE id = $1`,
);

/** The tokens of streams that are pushed. Every change of one is conditional on the lease of its sender. */
@Injectable()
export class PushDeliveries {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async claim(running: ReadonlyMap<string, number>, limit: number): Promise<Claim[]> {
    const leasedAtMs = performance.now();
    const values = claim.values({ now: this.clock.now(), running: [...running], limit });
    const rows = await this.database.rows<Omit<Claim, 'leasedAtMs'>>(claim, values);
    return rows.map((row) => ({ ...row, leasedAtMs }));
  }

  /** False when the token was deleted or taken over since it was claimed. */
  async holds(claimed: Claim): Promise<boolean> {
    return (await this.database.rows(stillHeld, keyOf(claimed))).length > 0;
  }

  /** Gives it back without an attempt. */
  async release(claimed: Claim, pauseMs: number): Promise<void> {
    await this.database.rows(release, [...keyOf(claimed), new Date(this.clock.now().getTime() + pauseMs)]);
  }

  async store(claimed: Claim, outcome: PushOutcome): Promise<void> {
    const now = this.clock.now();
    if (outcome.result === 'failed') {
      const retryAfterMs = Math.min(outcome.retryAfterMs ?? 0, maxRetryAfterMs);
      await this.database.rows(storeFailure, [claimed.stream, now, outcome.detail.slice(0, 500), retryAfterMs]);
      return this.release(claimed, 0);
    }
    const error = outcome.result === 'rejected' ? JSON.stringify(outcome.error) : null;
    await this.database.rows(storeEnd, [...keyOf(claimed), outcome.result, error]);
    await this.database.rows(storeSuccess, [claimed.stream, now]);
  }
}

function keyOf({ stream, seq, part, created_at, lease }: Claim): unknown[] {
  return [stream, seq, part, created_at, lease];
}
