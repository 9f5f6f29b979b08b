import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database, statement, type Sql, type Transaction } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { appendInOrder, type FeedPlan, type FeedState } from './append-in-order.js';
import { feedLag } from './feed-metrics.js';
import type { PublicEvent } from './public-event.js';

const newHeads = statement(
  'head_new',
  'INSERT INTO head (org, seq) SELECT org, 0 FROM unnest($1::text[]) AS o(org) ON CONFLICT DO NOTHING',
);
/** Ordered by organization, so that two batches cannot deadlock. */
const lockHeads = statement('head_lock', 'SELECT org, seq FROM head WHERE org = ANY ($1) ORDER BY org FOR UPDATE');
/** A statement of its own, after the heads are locked, so that it sees what the previous batch committed. */
const loadState = statement(
  'feed_state',
  `SELECT 'early' AS kind, w.id, w.org, encode(w.key, 'hex') AS key, w.type, w.occurred_at, w.version, w.data,
          w.received_at, false AS erased
     FROM unnest($2::bytea[]) AS q(key), LATERAL (SELECT * FROM early_event WHERE key = q.key LIMIT 1000) w
   UNION ALL
   SELECT 'appended', q.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
     FROM unnest($1::uuid[]) AS q(id), LATERAL (SELECT FROM event WHERE id = q.id LIMIT 1) e
   UNION ALL
   SELECT 'progress', NULL, NULL, encode(q.key, 'hex'), NULL, NULL, a.version, NULL, NULL, a.erased_at IS NOT NULL
     FROM unnest($2::bytea[]) AS q(key),
       LATERAL (SELECT version, erased_at FROM aggregate WHERE key = q.key LIMIT 1) a`,
);
const writeBatch = statement(
  'feed_write',
  `WITH entries AS (
     INSERT INTO event (org, seq, id, type, occurred_at, version, key, data, appended_at)
     SELECT e.*, $9::timestamptz
       FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::timestamptz[], $6::int[], $7::bytea[],
                   $8::json[]) AS e
   ), heads AS (
     UPDATE head SET seq = h.seq
       FROM (SELECT org, max(seq) AS seq FROM unnest($1::text[], $2::bigint[]) AS e(org, seq) GROUP BY org) h
      WHERE head.org = h.org
   ), aggregates AS (
     INSERT INTO aggregate AS a (key, version, erased_at)
     SELECT key, version, CASE WHEN erased THEN $9::timestamptz END
       FROM unnest($10::bytea[], $11::int[], $12::boolean[]) AS p(key, version, erased)
     ON CONFLICT (key) DO UPDATE SET version = excluded.version, erased_at = coalesce(a.erased_at, excluded.erased_at)
   ), early AS (
     INSERT INTO early_event (id, org, key, type, occurred_at, version, data, received_at)
     SELECT * FROM unnest($13::uuid[], $14::text[], $15::bytea[], $16::text[], $17::timestamptz[], $18::int[],
                          $19::json[], $20::timestamptz[])
   ), settled AS (
     DELETE FROM early_event WHERE id = ANY ($21) OR key = ANY ($22)
   )
   DELETE FROM event WHERE key = ANY ($22)`,
);

interface StateRow {
  kind: 'appended' | 'progress' | 'early';
  id: string;
  org: string;
  key: string;
  type: string;
  occurred_at: Date;
  version: number;
  data: unknown;
  received_at: Date;
  erased: boolean;
}

/** Appends events to the feeds of their organizations, each batch in one transaction. */
@Injectable()
export class Feed {
  private readonly logger = new Logger('feed');

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async append(events: readonly PublicEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.appendBatch([...new Set(events.map((e) => e.org))], [...new Set(events.map((e) => e.key))], events);
  }

  /** Appends early events of these aggregates that have waited long enough. */
  async appendOverdue(aggregates: readonly { org: string; key: string }[]): Promise<void> {
    if (aggregates.length === 0) return;
    await this.appendBatch([...new Set(aggregates.map((a) => a.org))], [...new Set(aggregates.map((a) => a.key))], []);
  }

  private async appendBatch(orgs: string[], keys: string[], events: readonly PublicEvent[]): Promise<void> {
    const now = this.clock.now();
    const { entries, unordered } = await this.database.transaction(async (sql) => {
      // Both are sent at once and take one round trip. PostgreSQL still executes the second after the first.
      const load = () => Promise.all([lockedHeads(sql, orgs), loadStored(sql, keys, events)]);
      let [heads, stored] = await load();
      if (heads.size < orgs.length) {
        await sql.rows(newHeads, [orgs.sort()]);
        [heads, stored] = await load();
      }
      const plan = appendInOrder(events, { heads, ...stored }, now);
      await this.write(sql, plan, now);
      return plan;
    });
    for (const { occurredAt } of entries) feedLag.observe(Math.max(0, now.getTime() - occurredAt.getTime()) / 1000);
    for (const { id, type, version, org } of unordered) {
      this.logger.warn(
        `Event ${id} of ${org} (${type}, version ${version}) was appended to the feed out of order: ` +
          'a predecessor did not arrive within a minute',
      );
    }
  }

  private async write(
    sql: Transaction,
    { entries, progress, early, settled, erased }: FeedPlan,
    now: Date,
  ): Promise<void> {
    const bytes = (key: string) => Buffer.from(key, 'hex');
    const aggregates = [...progress];
    await sql.last(writeBatch, [
      entries.map((e) => e.org),
      entries.map((e) => e.seq),
      entries.map((e) => e.id),
      entries.map((e) => e.type),
      entries.map((e) => e.occurredAt),
      entries.map((e) => e.version),
      entries.map((e) => bytes(e.key)),
      entries.map((e) => JSON.stringify(e.data)),
      now,
      aggregates.map(([key]) => bytes(key)),
      aggregates.map(([, p]) => p.version),
      aggregates.map(([, p]) => p.erased),
      early.map((e) => e.id),
      early.map((e) => e.org),
      early.map((e) => bytes(e.key)),
      early.map((e) => e.type),
      early.map((e) => e.occurredAt),
      early.map((e) => e.version),
      early.map((e) => (e.data === undefined ? null : JSON.stringify(e.data))),
      early.map((e) => e.receivedAt),
      settled,
      [...erased].map(bytes),
    ]);
  }
}

async function lockedHeads(sql: Sql, orgs: string[]): Promise<Map<string, number>> {
  const rows = await sql.rows<{ org: string; seq: number }>(lockHeads, [orgs]);
  return new Map(rows.map((r) => [r.org, r.seq]));
}

async function loadStored(sql: Sql, keys: string[], events: readonly PublicEvent[]): Promise<Omit<FeedState, 'heads'>> {
  const rows = await sql.rows<StateRow>(loadState, [events.map((e) => e.id), keys.map((k) => Buffer.from(k, 'hex'))]);
  const of = (kind: StateRow['kind']) => rows.filter((row) => row.kind === kind);
  return {
    appended: new Set(of('appended').map((row) => row.id)),
    progress: new Map(of('progress').map((row) => [row.key, { version: row.version, erased: row.erased }])),
    early: of('early').map(
      ({ id, org, key, type, version, occurred_at: occurredAt, received_at: receivedAt, data }) => ({
        id,
        org,
        key,
        type,
        version,
        occurredAt,
        receivedAt,
        erases: false,
        ...(data !== null && { data }),
      }),
    ),
  };
}
