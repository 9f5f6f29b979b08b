import { namedStatement, statement } from '@holdfast/data';

interface Filter {
  endpoint?: string | undefined;
  types?: readonly string[] | undefined;
  status?: string | undefined;
}

const filterParameters = {
  org: 'text',
  endpoint: 'uuid',
  types: 'text[]',
  status: 'text',
  since: 'timestamptz',
  until: 'timestamptz',
  before: 'bigint',
  limit: 'int',
} as const;

/**
 * A page of messages with all their deliveries. `places` finds the events, newest first, by the index of the filter
 * that leaves the fewest rows; the other filters apply to what it finds.
 */
const page = (name: string, places: (p: Record<keyof typeof filterParameters, string>) => string) =>
  namedStatement(name, filterParameters, (p) => {
    const before = `coalesce(${p.before}::bigint, 9223372036854775807)`;
    return `WITH place AS (${places({ ...p, before })} ORDER BY seq DESC LIMIT ${p.limit})
   SELECT e.seq, e.id AS event, e.type, e.occurred_at, d.endpoint, d.status, d.attempts, d.due_at
     FROM place JOIN event e ON e.org = ${p.org} AND e.seq = place.seq
     JOIN webhook_delivery d ON d.org = e.org AND d.seq = e.seq AND d.created_at = e.appended_at
      AND (${p.endpoint}::uuid IS NULL OR d.endpoint = ${p.endpoint})
     JOIN webhook_endpoint w ON w.id = d.endpoint
    ORDER BY e.seq DESC, d.endpoint`;
  });
const inTime = (p: Record<'since' | 'until', string>, column: string) =>
  `(${p.since}::timestamptz IS NULL OR ${column} >= ${p.since})
   AND (${p.until}::timestamptz IS NULL OR ${column} < ${p.until})`;
const ofDelivery = (p: Record<'endpoint' | 'types' | 'status' | 'since' | 'until', string>) =>
  `EXISTS (SELECT FROM webhook_endpoint w WHERE w.id = d.endpoint)
   AND (${p.endpoint}::uuid IS NULL OR d.endpoint = ${p.endpoint})
   AND (${p.types}::text[] IS NULL OR d.type = ANY (${p.types}))
   AND (${p.status}::text IS NULL OR d.status = ${p.status}) AND ${inTime(p, 'd.created_at')}`;

const pages = {
  status: page(
    'webhook_messages_by_status',
    (p) =>
      `SELECT DISTINCT d.seq FROM webhook_delivery d
        WHERE d.org = ${p.org} AND d.status = ${p.status} AND d.status <> 'delivered' AND d.seq < ${p.before}
          AND ${ofDelivery(p)}`,
  ),
  endpoint: page(
    'webhook_messages_by_endpoint',
    (p) =>
      `SELECT d.seq FROM webhook_delivery d
        WHERE d.endpoint = ${p.endpoint} AND d.org = ${p.org} AND d.seq < ${p.before} AND ${ofDelivery(p)}`,
  ),
  type: page(
    'webhook_messages_by_type',
    (p) =>
      `SELECT e.seq FROM unnest(${p.types}::text[]) AS t(type), LATERAL (
         SELECT e.seq FROM event e
          WHERE e.org = ${p.org} AND e.type = t.type AND e.seq < ${p.before} AND EXISTS (
            SELECT FROM webhook_delivery d WHERE d.org = ${p.org} AND d.seq = e.seq AND ${ofDelivery(p)})
          ORDER BY e.seq DESC LIMIT ${p.limit}) e`,
  ),
  all: page(
    'webhook_messages_all',
    (p) =>
      `SELECT DISTINCT d.seq FROM webhook_delivery d
        WHERE d.org = ${p.org} AND d.seq < ${p.before} AND ${ofDelivery(p)}`,
  ),
};

/** The statement of a page for a filter. */
export function listBy({ endpoint, types, status }: Filter) {
  if (status !== undefined && status !== 'delivered') return pages.status;
  if (endpoint !== undefined) return pages.endpoint;
  return types ? pages.type : pages.all;
}

/** By the id of the event, which leads to its place. */
export const deliveriesOf = statement(
  'webhook_delivery_of_message',
  `SELECT d.endpoint, d.status, d.attempts, d.due_at
     FROM event e JOIN webhook_delivery d ON d.org = e.org AND d.seq = e.seq AND d.created_at = e.appended_at
     JOIN webhook_endpoint w ON w.id = d.endpoint
    WHERE e.org = $1 AND e.id = $2 ORDER BY d.endpoint`,
);
export const endpointExists = statement(
  'webhook_endpoint_exists',
  'SELECT FROM webhook_endpoint WHERE org = $1 AND id = $2 FOR UPDATE',
);

/** By a new lease, an attempt that still runs changes nothing any more. */
const again = (now: string) => `status = 'pending', due_at = ${now}, tries = 0, lease = d.lease + 1, leased = false`;

export const resend = statement(
  'webhook_delivery_resend',
  `UPDATE webhook_delivery d SET ${again('$4')}
     FROM event e
    WHERE e.org = $1 AND e.id = $2 AND d.org = e.org AND d.seq = e.seq AND d.created_at = e.appended_at
      AND ($3::uuid IS NULL OR d.endpoint = $3) AND EXISTS (SELECT FROM webhook_endpoint w WHERE w.id = d.endpoint)
   RETURNING d.endpoint`,
);
export const addOne = statement(
  'webhook_delivery_add_one',
  `INSERT INTO webhook_delivery (endpoint, seq, created_at, org, event, type, key, due_at)
   SELECT w.id, e.seq, e.appended_at, e.org, e.id, e.type, e.key, $4
     FROM event e JOIN webhook_endpoint w ON w.org = e.org AND w.id = $3
    WHERE e.org = $1 AND e.id = $2
   ON CONFLICT DO NOTHING RETURNING endpoint`,
);

const range = {
  endpoint: 'uuid',
  org: 'text',
  since: 'timestamptz',
  until: 'timestamptz',
  types: 'text[]',
  now: 'timestamptz',
  limit: 'int',
} as const;

export const recover = namedStatement(
  'webhook_delivery_recover',
  { ...range, statuses: 'text[]' },
  (p) =>
    `UPDATE webhook_delivery d SET ${again(p.now)}
    FROM (SELECT seq, created_at FROM webhook_delivery
           WHERE endpoint = ${p.endpoint} AND org = ${p.org} AND created_at >= ${p.since} AND created_at < ${p.until}
             AND (${p.types}::text[] IS NULL OR type = ANY (${p.types})) AND status = ANY (${p.statuses})
           ORDER BY seq LIMIT ${p.limit} FOR UPDATE) r
   WHERE d.endpoint = ${p.endpoint} AND d.seq = r.seq AND d.created_at = r.created_at
  RETURNING d.seq`,
);
/** What the endpoint gets by its filter, and has no message of. */
export const addMissing = namedStatement(
  'webhook_delivery_add_missing',
  range,
  (p) =>
    `INSERT INTO webhook_delivery (endpoint, seq, created_at, org, event, type, key, due_at)
   SELECT w.id, e.seq, e.appended_at, e.org, e.id, e.type, e.key, ${p.now}
     FROM webhook_endpoint w JOIN event e ON e.org = w.org
    WHERE w.id = ${p.endpoint} AND w.org = ${p.org} AND e.appended_at >= ${p.since} AND e.appended_at < ${p.until}
      AND (w.types IS NULL OR e.type = ANY (w.types)) AND (${p.types}::text[] IS NULL OR e.type = ANY (${p.types}))
      AND NOT EXISTS (SELECT FROM webhook_delivery d
        WHERE d.endpoint = w.id AND d.seq = e.seq AND d.created_at = e.appended_at)
    ORDER BY e.seq LIMIT ${p.limit}
   ON CONFLICT DO NOTHING RETURNING seq`,
);
