import { Injectable, type OnModuleInit } from '@nestjs/common';
import { columns, namedStatement, statement, type Sql } from '@holdfast/data';
import { Feed, type FeedEntry, type FeedSubscriber } from '../../feed/feed.js';
import { leaseMs, type Claim } from './claim.js';
import { roomOf } from './deliveries.js';
import { WebhookQueue } from './webhook-queue.js';

/**
 * A message for each active endpoint that gets an event. As many of an endpoint as it may get now are claimed by this
 * process at once, so that nothing has to look for them. An endpoint that is paused, or catches up, gets the event from
 * the feed later.
 */
const fanOut = namedStatement(
  'webhook_fan_out',
  {
    entries: columns<FeedEntry>({
      org: ['text', (e) => e.org],
      seq: ['bigint', (e) => e.seq],
      event: ['uuid', (e) => e.id],
      type: ['text', (e) => e.type],
      key: ['bytea', (e) => Buffer.from(e.key, 'hex')],
    }),
    now: 'timestamptz',
    running: columns<[endpoint: string, count: number]>({
      endpoint: ['uuid', ([endpoint]) => endpoint],
      count: ['int', ([, count]) => count],
    }),
    room: 'int',
  },
  ({ entries, now, running, room }) =>
    `WITH wanted AS (
     SELECT w.id AS endpoint, w.url, w.headers, w.secrets, w.signatures, w.failures, w.version AS endpoint_version,
       w.maker_type, w.maker_id, w.maker_name, w.rate_limit, coalesce(s.suspended, false) AS suspended, e.*,
       w.failures = 0 AND w.rate_limit IS NULL AND NOT coalesce(s.suspended, false)
         AND row_number() OVER (PARTITION BY w.id ORDER BY e.seq) + coalesce(r.count, 0) <= ${roomOf(now)}
         AND row_number() OVER (ORDER BY e.seq) <= ${room} AS leased
       FROM ${entries.unnest('e')} JOIN webhook_endpoint w ON w.org = e.org
       LEFT JOIN audit_suspension s ON s.org = w.org
       LEFT JOIN ${running.unnest('r')} ON r.endpoint = w.id
      WHERE NOT w.paused AND w.disabled_at IS NULL AND w.held_after IS NULL
        AND (w.types IS NULL OR e.type = ANY (w.types))
   ), inserted AS (
     INSERT INTO webhook_delivery (endpoint, seq, created_at, org, event, type, key, due_at, lease, leased)
     SELECT endpoint, seq, ${now}, org, event, type, key,
       ${now}::timestamptz + CASE WHEN leased THEN ${leaseMs} ELSE 0 END * interval '1 millisecond', leased::int, leased
       FROM wanted
     ON CONFLICT DO NOTHING RETURNING endpoint, seq
   )
   SELECT wanted.* FROM inserted JOIN wanted USING (endpoint, seq) ORDER BY seq`,
);
const forget = statement('webhook_delivery_forget', 'DELETE FROM webhook_delivery WHERE key = ANY ($1::bytea[])');

type Row = Omit<
  Claim,
  'created_at' | 'lease' | 'tries' | 'catches_up' | 'occurred_at' | 'version' | 'data' | 'leasedAtMs'
> & {
  leased: boolean;
  rate_limit: number | null;
  suspended: boolean;
};

/** Stores the messages of events in the transaction that appends them to the feed. */
@Injectable()
export class WebhookFanOut implements FeedSubscriber, OnModuleInit {
  readonly flag = 'webhooks';

  constructor(
    private readonly feed: Feed,
    private readonly queue: WebhookQueue,
  ) {}

  onModuleInit(): void {
    this.feed.addSubscriber(this);
  }

  async add(sql: Sql, entries: readonly FeedEntry[], erased: readonly Buffer[], now: Date): Promise<() => void> {
    // The erasure first: the confirmation of one may be among the entries.
    const forgotten = erased.length > 0 ? sql.rows(forget, [erased]) : undefined;
    const leasedAtMs = performance.now();
    const { running, room } = this.queue;
    const values = fanOut.values({ entries, now, running: [...running], room });
    const rows = entries.length > 0 ? await sql.rows<Row>(fanOut, values) : [];
    await forgotten;
    const byPlace = new Map(entries.map((entry) => [`${entry.org} ${entry.seq}`, entry]));
    const claims = rows.flatMap(({ leased, suspended: _, rate_limit: __, ...row }): Claim[] => {
      const { occurredAt, version, data } = byPlace.get(`${row.org} ${row.seq}`)!;
      if (!leased) return [];
      const claim = { ...row, created_at: now, lease: 1, tries: 0, catches_up: false, version, leasedAtMs };
      return [{ ...claim, occurred_at: occurredAt, data: data as Record<string, unknown> }];
    });
    // Those of an endpoint that fails are found by the next look for them.
    const others = rows.filter(({ leased, failures, suspended }) => !leased && failures === 0 && !suspended);
    return () => {
      this.queue.begin(claims);
      for (const { endpoint, rate_limit } of others) this.queue.wake(rate_limit === null ? 'free' : 'serial', endpoint);
    };
  }
}
