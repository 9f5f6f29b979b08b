import { Inject, Injectable } from '@nestjs/common';
import { allOrganizations } from '@holdfast/contracts';
import { Database, isNotFenced, namedStatement, statement } from '@holdfast/data';
import { backOffMs } from '@holdfast/delivery';
import { CLOCK, type Clock } from '@holdfast/platform';
import type { MakerColumns } from '../../makers/maker-columns.js';
import type { DestinationRow } from '../destination.js';

/** A sender has its delivery for so long without progress. If its process dies, another one continues then. */
export const leaseMs = 30_000;
/** A receiver may ask for a longer pause than the back-off, but not stop the log for a day. */
const backOff = { initialMs: 1000, maxMs: 300_000, maxRetryAfterMs: 3_600_000 };
/** Between two turns of one delivery, so that entries that come one by one are sent together. */
const minIntervalMs = 300;

/** A delivery that this process has claimed. */
export interface Claim extends Pick<
  DestinationRow,
  'id' | 'kind' | 'format' | 'filter' | 'settings' | 'credentials' | 'version' | 'failures' | keyof MakerColumns
> {
  /** Of the destination: `*` for all organizations. */
  owner: string;
  /** Of the log. */
  org: string;
  after: number;
  end: number;
  lease: number;
  /** When the lease was taken or renewed, by performance.now(). */
  leasedAtMs: number;
}

interface Busy {
  /** Destinations of which this process sends as many logs as it may. */
  full: string[];
  /** Destinations of which this process sends at least one log. */
  some: string[];
}

/**
 * One delivery of each destination that is due, longest waiting first. One that fails has one log at a time as a probe.
 * `lease` fences the sender that had the row before.
 */
const claim = statement(
  'audit_delivery_claim',
  `WITH due AS (
     SELECT d.id, v.org FROM audit_destination d
       CROSS JOIN LATERAL (
         SELECT org FROM audit_delivery
          WHERE destination = d.id AND end_seq > after_seq AND due_at <= clock_timestamp()
            AND (leased_until IS NULL OR leased_until < clock_timestamp()) AND ${isNotFenced('audit_delivery.org')}
          ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) v
      WHERE NOT d.paused AND NOT d.suspended AND (d.failures > 0) = $1
        AND (d.retry_at IS NULL OR d.retry_at <= $5) AND d.id <> ALL ($2::uuid[])
      ORDER BY d.attempted_at LIMIT $3),
   claimed AS (
     UPDATE audit_delivery v SET lease = lease + 1,
            leased_until = clock_timestamp() + $4 * interval '1 millisecond'
       FROM due WHERE v.destination = due.id AND v.org = due.org RETURNING v.*)
   UPDATE audit_destination d SET attempted_at = clock_timestamp() FROM claimed v WHERE d.id = v.destination
   RETURNING d.id, d.org AS owner, d.kind, d.format, d.filter, d.settings, d.credentials, d.version, d.failures,
     d.maker_type, d.maker_id, d.maker_name, v.org,
     v.after_seq AS after, v.end_seq AS end, v.lease`,
);
/** Moves the place on after the receiver has confirmed, unless another sender or a rewind has taken over. */
const advance = namedStatement(
  'audit_delivery_advance',
  {
    id: 'uuid',
    org: 'text',
    lease: 'bigint',
    before: 'bigint',
    after: 'bigint',
    occurredAt: 'timestamptz',
    leaseMs: 'int',
    sent: 'int',
    rejected: 'int',
    rejection: 'text',
    now: 'timestamptz',
  },
  (p) =>
    `WITH moved AS (
     UPDATE audit_delivery SET after_seq = ${p.after}, end_seq = greatest(end_seq, ${p.after}),
            behind_since = CASE WHEN end_seq > ${p.after} THEN greatest(behind_since, ${p.occurredAt}) END,
            leased_until = clock_timestamp() + ${p.leaseMs} * interval '1 millisecond'
      WHERE destination = ${p.id} AND org = ${p.org} AND lease = ${p.lease} AND after_seq = ${p.before}
      RETURNING destination)
   UPDATE audit_destination d
      SET sent = sent + ${p.sent}, rejected = rejected + ${p.rejected},
          last_rejection = coalesce(${p.rejection}, last_rejection), failures = 0, retry_at = NULL,
          last_success_at = ${p.now}, failing_since = NULL, failure_event = NULL, failure_recorded = false
     FROM moved WHERE d.id = moved.destination
   RETURNING d.version, d.paused OR d.suspended AS stopped`,
);
const release = statement(
  'audit_delivery_release',
  `UPDATE audit_delivery SET leased_until = NULL, due_at = clock_timestamp() + $4 * interval '1 millisecond'
    WHERE destination = $1 AND org = $2 AND lease = $3`,
);
/** Several deliveries of one destination that fail together count as one failed attempt. */
const fail = statement(
  'audit_destination_fail',
  `UPDATE audit_destination SET failures = failures + 1, retry_at = $3, last_error = $4, last_error_at = $5,
          failing_since = coalesce(failing_since, $5), failure_event = coalesce(failure_event, gen_random_uuid())
    WHERE id = $1 AND failures = $2 AND version = $6
      AND EXISTS (SELECT FROM audit_delivery WHERE destination = $1 AND org = $7 AND lease = $8)`,
);
/** A new log of a destination of all organizations begins at its beginning. */
const grow = statement(
  'audit_delivery_grow',
  `INSERT INTO audit_delivery AS v (destination, org, after_seq, end_seq, behind_since)
   SELECT d.id, g.org, 0, g.seq, $3 FROM unnest($1::text[], $2::bigint[]) AS g(org, seq)
     JOIN audit_destination d ON d.org IN (g.org, '${allOrganizations}')
    WHERE ${isNotFenced('g.org')} ORDER BY d.id, g.org
   ON CONFLICT (destination, org) DO UPDATE
     SET end_seq = excluded.end_seq, behind_since = coalesce(v.behind_since, excluded.behind_since)
     WHERE v.end_seq < excluded.end_seq
   RETURNING 1`,
);

/** What has been confirmed of a batch. */
export interface Progress {
  after: number;
  /** When its last entry happened. */
  occurredAt: Date;
  sent: number;
  rejected: number;
  rejection: string | undefined;
}

/** The places of destinations in the logs. Every change of one is conditional on the lease of its sender. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** At most one of each destination. `failing`: of those whose last attempt failed, or of the others. */
  async claim({ full, some }: Busy, limit: number, failing: boolean): Promise<Claim[]> {
    const excluded = failing ? some : full;
    const leasedAtMs = performance.now();
    const values = [failing, excluded, limit, leaseMs, this.clock.now()];
    const rows = await this.database.rows<Omit<Claim, 'leasedAtMs'>>(claim, values);
    return rows.map((row) => ({ ...row, leasedAtMs }));
  }

  /** Whether this process may still begin something that takes so long. A paused one finds here that it may not. */
  holds({ leasedAtMs }: Claim, forMs: number): boolean {
    return performance.now() - leasedAtMs + forMs < leaseMs;
  }

  /** False when this sender must stop: it has lost the delivery, or the destination was changed or stopped. */
  async advance(claimed: Claim, progress: Progress): Promise<boolean> {
    const { id, org, lease, after: before, version } = claimed;
    const leasedAtMs = performance.now();
    const values = advance.values({ id, org, lease, before, ...progress, leaseMs, now: this.clock.now() });
    const [row] = await this.database.rows<{ version: number; stopped: boolean }>(advance, values);
    if (!row) return false;
    Object.assign(claimed, { after: progress.after, failures: 0, leasedAtMs });
    return row.version === version && !row.stopped;
  }

  async fail(claimed: Claim, message: string, retryAfterMs?: number): Promise<void> {
    const { id, org, lease, failures, version } = claimed;
    const now = this.clock.now();
    const retryAt = new Date(now.getTime() + backOffMs(backOff, failures + 1, Math.random(), retryAfterMs));
    await this.database.rows(fail, [id, failures, retryAt, message.slice(0, 500), now, version, org, lease]);
  }

  async release({ id, org, lease }: Claim, pauseMs = minIntervalMs): Promise<void> {
    await this.database.rows(release, [id, org, lease, pauseMs]);
  }

  /** Stores new ends of logs. @returns whether there is something to send now */
  async grow(logs: readonly (readonly [string, number])[]): Promise<boolean> {
    const values = [logs.map(([org]) => org), logs.map(([, seq]) => seq), this.clock.now()];
    return (await this.database.rows(grow, values)).length > 0;
  }
}
