import { Inject, Injectable } from '@nestjs/common';
import { columns, Database, isNotFenced, namedStatement, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { leaseMs, type Claim, type Outcome } from './claim.js';
import { endpointPauseMs, nextDelayMs } from './schedule.js';

/** Messages of one endpoint that a process sends at once: many only after it has confirmed one in the last hour. */
export const maxOfOne = 16;
const maxOfUnknown = 2;
/** One that is further behind does not get its events one after the other, or it might never catch up. */
const farBehind = 1000;
const maxOfFarBehind = 8;
const keptAttempts = 20;

/** How many messages of an endpoint `w` may be sent at once by one process. */
export const roomOf = (now: string): string =>
  `CASE WHEN w.failures > 0 THEN 1
        WHEN w.last_success_at > ${now}::timestamptz - interval '1 hour' THEN ${maxOfOne} ELSE ${maxOfUnknown} END`;
/** Whether an endpoint `w` of an organization with the suspension `s` gets anything now. */
export const isActive = 'NOT w.paused AND w.disabled_at IS NULL AND NOT coalesce(s.suspended, false)';

const endpointColumns = `w.url, w.headers, w.secrets, w.signatures, w.failures, w.version AS endpoint_version,
  w.maker_type, w.maker_id, w.maker_name, w.held_after IS NOT NULL AS catches_up`;

/**
 * `serial`: of endpoints with a rate limit, and of those that catch up, which get their events in order; `failing`: of
 * those whose last attempt failed; `free`: of all others.
 */
export const messageKinds = ['free', 'serial', 'failing'] as const;
export type MessageKind = (typeof messageKinds)[number];
const conditions: Record<MessageKind, string> = {
  free: 'w.failures = 0 AND w.rate_limit IS NULL AND w.held_after IS NULL',
  serial: 'w.failures = 0 AND (w.rate_limit IS NOT NULL OR w.held_after IS NOT NULL)',
  failing: 'w.failures > 0',
};

const parameters = {
  now: 'timestamptz',
  running: columns<[endpoint: string, count: number]>({
    endpoint: ['uuid', ([endpoint]) => endpoint],
    count: ['int', ([, count]) => count],
  }),
  limit: 'int',
} as const;

/**
 * Claims messages that are due, the oldest of each endpoint first. The endpoints that have any are found by index
 * lookups from one to the next, so those without cost nothing. Endpoints whose limits hold for all replicas together
 * are locked, so that no other replica claims for them meanwhile.
 */
const claimOf = (kind: MessageKind) =>
  namedStatement(`webhook_delivery_claim_${kind}`, parameters, ({ now, running, limit }) => {
    const isLocked = kind !== 'free';
    const room =
      kind === 'free'
        ? roomOf(now)
        : `least(w.rate_limit, CASE WHEN w.held_after IS NULL THEN ${roomOf(now)}
             WHEN h.seq - w.held_after > ${farBehind} THEN ${maxOfFarBehind} ELSE 1 END)`;
    const mayBegin = `(w.paced_until IS NULL OR w.paced_until <= ${now}) AND (w.held_after IS NULL
      OR h.seq - w.held_after > ${farBehind} OR NOT EXISTS (
        SELECT FROM webhook_delivery x WHERE x.endpoint = w.id AND x.status = 'pending' AND x.leased
           AND x.due_at > ${now}))`;
    return `WITH RECURSIVE pending AS (
     (SELECT endpoint FROM webhook_delivery WHERE status = 'pending' ORDER BY endpoint LIMIT 1)
     UNION ALL
     SELECT (SELECT endpoint FROM webhook_delivery WHERE status = 'pending' AND endpoint > p.endpoint
              ORDER BY endpoint LIMIT 1) FROM pending p WHERE p.endpoint IS NOT NULL
   ), ready AS (
     SELECT w.id, ${room} - coalesce(r.count, 0) AS room
       FROM pending p JOIN webhook_endpoint w ON w.id = p.endpoint
       LEFT JOIN audit_suspension s ON s.org = w.org
       LEFT JOIN ${running.unnest('r')} ON r.endpoint = w.id
       ${isLocked ? 'JOIN head h ON h.org = w.org' : ''}
      WHERE ${isActive} AND (w.retry_at IS NULL OR w.retry_at <= ${now}) AND ${conditions[kind]}
        ${isLocked ? `AND ${mayBegin}` : ''} AND ${isNotFenced('w.org')}
      ${isLocked ? 'FOR UPDATE OF w SKIP LOCKED' : ''}
   ), due AS (
     SELECT r.id, d.seq, d.created_at FROM ready r CROSS JOIN LATERAL (
       SELECT seq, created_at, due_at FROM webhook_delivery
        WHERE endpoint = r.id AND status = 'pending' AND due_at <= ${now}
        ORDER BY due_at, seq LIMIT greatest(r.room, 0) FOR UPDATE SKIP LOCKED) d
      ORDER BY d.due_at LIMIT ${limit}
   ), claimed AS (
     UPDATE webhook_delivery d SET lease = lease + 1, leased = true,
            due_at = ${now}::timestamptz + ${leaseMs} * interval '1 millisecond'
       FROM due WHERE d.endpoint = due.id AND d.seq = due.seq AND d.created_at = due.created_at
     RETURNING d.endpoint, d.org, d.seq, d.created_at, d.event, d.type, d.key, d.lease, d.tries
   )${
     isLocked
       ? `, paced AS (
     UPDATE webhook_endpoint w
        SET paced_until = ${now}::timestamptz + c.count * interval '1 second' / w.rate_limit
       FROM (SELECT endpoint, count(*) FROM claimed GROUP BY endpoint) c
      WHERE w.id = c.endpoint AND w.rate_limit IS NOT NULL
   )`
       : ''
   }
   SELECT c.*, ${endpointColumns}, e.occurred_at, e.version, e.data
     FROM claimed c JOIN webhook_endpoint w ON w.id = c.endpoint
     LEFT JOIN event e ON e.org = c.org AND e.seq = c.seq
    ORDER BY c.seq`;
  });
const claims = { free: claimOf('free'), serial: claimOf('serial'), failing: claimOf('failing') };

/** Only by the claim that has the message now: another one, a change or an erasure may have taken it over. */
const storeOutcomes = namedStatement(
  'webhook_delivery_outcome',
  {
    outcomes: columns<Outcome & { nextMs: number | undefined }>({
      endpoint: ['uuid', ({ claim }) => claim.endpoint],
      seq: ['bigint', ({ claim }) => claim.seq],
      created_at: ['timestamptz', ({ claim }) => claim.created_at],
      lease: ['int', ({ claim }) => claim.lease],
      status: ['text', (o) => (o.error === undefined ? 'delivered' : o.nextMs === undefined ? 'failed' : 'pending')],
      due_at: ['timestamptz', ({ at, latencyMs, nextMs = 0 }) => new Date(at.getTime() + latencyMs + nextMs)],
      attempt: ['text', (outcome) => JSON.stringify(attemptOf(outcome))],
    }),
  },
  ({ outcomes }) =>
    `UPDATE webhook_delivery d SET status = o.status, due_at = o.due_at, leased = false, tries = d.tries + 1,
       attempts = CASE WHEN jsonb_array_length(d.attempts) < ${keptAttempts} THEN d.attempts ELSE d.attempts - 0 END
         || o.attempt::jsonb
      FROM ${outcomes.unnest('o')}
     WHERE d.endpoint = o.endpoint AND d.seq = o.seq AND d.created_at = o.created_at AND d.lease = o.lease`,
);
/** A busy endpoint is not written for each of its messages. */
const storeSuccesses = statement(
  'webhook_endpoint_succeeded',
  `WITH locked AS (
     SELECT id FROM webhook_endpoint WHERE id = ANY ($1::uuid[])
        AND (failures > 0 OR last_success_at IS NULL OR last_success_at < $2::timestamptz - interval '10 seconds')
      ORDER BY id FOR UPDATE)
   UPDATE webhook_endpoint w SET failures = 0, failing_since = NULL, retry_at = NULL, last_success_at = $2
     FROM locked WHERE w.id = locked.id`,
);
const storeFailures = namedStatement(
  'webhook_endpoint_failed',
  {
    failures: columns<EndpointFailures>({
      id: ['uuid', ({ endpoint }) => endpoint],
      count: ['int', ({ count }) => count],
      error: ['text', ({ error }) => error],
      retry_at: ['timestamptz', ({ retryAt }) => retryAt],
    }),
    now: 'timestamptz',
  },
  ({ failures, now }) =>
    `WITH f AS (SELECT * FROM ${failures.unnest('f')}),
     locked AS (SELECT id FROM webhook_endpoint WHERE id IN (SELECT id FROM f) ORDER BY id FOR UPDATE)
     UPDATE webhook_endpoint w SET failures = failures + f.count, failing_since = coalesce(failing_since, ${now}),
            last_error = f.error, last_error_at = ${now}, retry_at = f.retry_at
       FROM locked JOIN f USING (id) WHERE w.id = locked.id`,
);
const release = statement(
  'webhook_delivery_release',
  `UPDATE webhook_delivery SET leased = false, due_at = $5
    WHERE endpoint = $1 AND seq = $2 AND created_at = $3 AND lease = $4`,
);
const stillHeld = statement(
  'webhook_delivery_held',
  'SELECT FROM webhook_delivery WHERE endpoint = $1 AND seq = $2 AND created_at = $3 AND lease = $4',
);

interface EndpointFailures {
  endpoint: string;
  count: number;
  error: string;
  retryAt: Date | null;
}

function attemptOf({ at, latencyMs, status, response, error }: Outcome) {
  return {
    at: at.toISOString(),
    ...(status !== undefined && { status }),
    latencyMs,
    ...(response !== undefined && response !== '' && { response }),
    ...(error !== undefined && { error }),
  };
}

/** The messages of endpoints. Every change of one is conditional on the lease of its sender. */
@Injectable()
export class WebhookDeliveries {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async claim(kind: MessageKind, running: ReadonlyMap<string, number>, limit: number): Promise<Claim[]> {
    const leasedAtMs = performance.now();
    const values = claims[kind].values({ now: this.clock.now(), running: [...running], limit });
    const rows = await this.database.rows<Omit<Claim, 'leasedAtMs'>>(claims[kind], values);
    return rows.map((row) => ({ ...row, leasedAtMs }));
  }

  /** False when the message was deleted or taken over since it was claimed. */
  async holds({ endpoint, seq, created_at, lease }: Claim): Promise<boolean> {
    return (await this.database.rows(stillHeld, [endpoint, seq, created_at, lease])).length > 0;
  }

  /** Gives it back without an attempt. */
  async release({ endpoint, seq, created_at, lease }: Claim, pauseMs: number): Promise<void> {
    const dueAt = new Date(this.clock.now().getTime() + pauseMs);
    await this.database.rows(release, [endpoint, seq, created_at, lease, dueAt]);
  }

  async store(outcomes: readonly Outcome[]): Promise<void> {
    const now = this.clock.now();
    const planned = outcomes.map((outcome) => ({
      ...outcome,
      nextMs: nextDelayMs(outcome.claim.tries + 1, Math.random(), outcome),
    }));
    await this.database.rows(storeOutcomes, storeOutcomes.values({ outcomes: planned }));
    // Statements of their own: a change locks an endpoint before its messages.
    const succeeded = new Set(outcomes.filter(({ error }) => error === undefined).map(({ claim }) => claim.endpoint));
    if (succeeded.size > 0) await this.database.rows(storeSuccesses, [[...succeeded], now]);
    const failures = failuresOf(outcomes, succeeded, now);
    if (failures.length > 0) await this.database.rows(storeFailures, storeFailures.values({ failures, now }));
  }
}

/** Of each endpoint that has confirmed nothing of this. */
function failuresOf(outcomes: readonly Outcome[], succeeded: ReadonlySet<string>, now: Date): EndpointFailures[] {
  const failed = outcomes.filter(({ claim }) => !succeeded.has(claim.endpoint));
  return [...Map.groupBy(failed, ({ claim }) => claim.endpoint)].map(([endpoint, all]) => {
    const last = all.at(-1)!;
    const pauseMs = endpointPauseMs(Math.max(...all.map(({ claim }) => claim.failures)) + all.length);
    return {
      endpoint,
      count: all.length,
      error: (last.error ?? '').slice(0, 500),
      retryAt: pauseMs === 0 ? null : new Date(now.getTime() + pauseMs),
    };
  });
}
