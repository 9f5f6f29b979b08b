import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database, statement, type Sql, type Transaction } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { appendInOrder, type Appended, type Known } from './append-in-order.js';
import { feedLag } from './feed-metrics.js';
import type { PublicEvent } from './public-event.js';

const newHeads = statement(
  'head_new',
  'INSERT INTO head (org, seq) SELECT org, 0 FROM unnest($1::text[]) AS o(org) ON CONFLICT DO NOTHING',
);
/** In the order of the names, so that two batches never wait for each other. */
const holdHeads = statement('head_hold', 'SELECT org, seq FROM head WHERE org = ANY ($1) ORDER BY org FOR UPDATE');
/** A statement of its own, after the heads are held: it sees what the batch before has committed. */
const lookUp = statement(
  'feed_known',
  `SELECT 'waiting' AS kind, w.id, w.org, encode(w.key, 'hex') AS key, w.type, w.occurred_at, w.version, w.data, w.since, false AS erased
     FROM unnest($2::bytea[]) AS q(key), LATERAL (SELECT * FROM waiting WHERE key = q.key LIMIT 1000) w
   UNION ALL
   SELECT 'appended', q.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
     FROM unnest($1::uuid[]) AS q(id), LATERAL (SELECT FROM event WHERE id = q.id LIMIT 1) e
   UNION ALL
   SELECT 'progress', NULL, NULL, encode(q.key, 'hex'), NULL, NULL, a.version, NULL, NULL, a.erased_at IS NOT NULL
     FROM unnest($2::bytea[]) AS q(key), LATERAL (SELECT version, erased_at FROM aggregate WHERE key = q.key LIMIT 1) a`,
);
const write = statement(
  'feed_write',
  `WITH entries AS (
     INSERT INTO event (org, seq, id, type, occurred_at, version, key, data, placed_at)
     SELECT e.*, $9::timestamptz FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::timestamptz[], $6::int[], $7::bytea[], $8::json[]) AS e
   ), raised AS (
     UPDATE head SET seq = h.seq FROM (SELECT org, max(seq) AS seq FROM unnest($1::text[], $2::bigint[]) AS e(org, seq) GROUP BY org) h WHERE head.org = h.org
   ), moved AS (
     INSERT INTO aggregate AS a (key, version, erased_at)
     SELECT key, version, CASE WHEN erased THEN $9::timestamptz END FROM unnest($10::bytea[], $11::int[], $12::boolean[]) AS p(key, version, erased)
     ON CONFLICT (key) DO UPDATE SET version = excluded.version, erased_at = coalesce(a.erased_at, excluded.erased_at)
   ), kept AS (
     INSERT INTO waiting (id, org, key, type, occurred_at, version, data, since)
     SELECT * FROM unnest($13::uuid[], $14::text[], $15::bytea[], $16::text[], $17::timestamptz[], $18::int[], $19::json[], $20::timestamptz[])
   ), settled AS (
     DELETE FROM waiting WHERE id = ANY ($21) OR key = ANY ($22)
   )
   DELETE FROM event WHERE key = ANY ($22)`,
);

interface Found {
  kind: 'appended' | 'progress' | 'waiting';
  id: string;
  org: string;
  key: string;
  type: string;
  occurred_at: Date;
  version: number;
  data: unknown;
  since: Date;
  erased: boolean;
}

/** The feed of each organization: gives events their places, a whole batch in one transaction. */
@Injectable()
export class Feed {
  private readonly logger = new Logger('feed');

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async append(events: readonly PublicEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.placeIn([...new Set(events.map((e) => e.org))], [...new Set(events.map((e) => e.key))], events);
  }

  /** Looks again at what waits of these aggregates: what has waited long enough goes in. */
  async review(aggregates: readonly { org: string; key: string }[]): Promise<void> {
    if (aggregates.length === 0) return;
    await this.placeIn([...new Set(aggregates.map((a) => a.org))], [...new Set(aggregates.map((a) => a.key))], []);
  }

  private async placeIn(orgs: string[], keys: string[], events: readonly PublicEvent[]): Promise<void> {
    const now = this.clock.now();
    const { entries, unordered } = await this.database.transaction(async (sql) => {
      // Begun together: one trip. What is known is still looked up after the heads are held.
      const look = () => Promise.all([held(sql, orgs), known(sql, keys, events)]);
      let [heads, there] = await look();
      if (heads.size < orgs.length) {
        await sql.rows(newHeads, [orgs.sort()]);
        [heads, there] = await look();
      }
      const appended = appendInOrder(events, { heads, ...there }, now);
      await this.write(sql, appended, now);
      return appended;
    });
    for (const { occurredAt } of entries) feedLag.observe(Math.max(0, now.getTime() - occurredAt.getTime()) / 1000);
    for (const { id, type, version, org } of unordered) {
      this.logger.warn(
        `event ${id} (${type}, version ${version}, ${org}) is in the feed out of order: one before it did not come within a minute`,
      );
    }
  }

  private async write(
    sql: Transaction,
    { entries, progress, waiting, settled, erased }: Appended,
    now: Date,
  ): Promise<void> {
    const bytes = (key: string) => Buffer.from(key, 'hex');
    const moved = [...progress];
    await sql.last(write, [
      entries.map((e) => e.org),
      entries.map((e) => e.seq),
      entries.map((e) => e.id),
      entries.map((e) => e.type),
      entries.map((e) => e.occurredAt),
      entries.map((e) => e.version),
      entries.map((e) => bytes(e.key)),
      entries.map((e) => JSON.stringify(e.data)),
      now,
      moved.map(([key]) => bytes(key)),
      moved.map(([, p]) => p.version),
      moved.map(([, p]) => p.erased),
      waiting.map((w) => w.id),
      waiting.map((w) => w.org),
      waiting.map((w) => bytes(w.key)),
      waiting.map((w) => w.type),
      waiting.map((w) => w.occurredAt),
      waiting.map((w) => w.version),
      waiting.map((w) => (w.data === undefined ? null : JSON.stringify(w.data))),
      waiting.map((w) => w.since),
      settled,
      [...erased].map(bytes),
    ]);
  }
}

async function held(sql: Sql, orgs: string[]): Promise<Map<string, number>> {
  const rows = await sql.rows<{ org: string; seq: number }>(holdHeads, [orgs]);
  return new Map(rows.map((r) => [r.org, r.seq]));
}

async function known(sql: Sql, keys: string[], events: readonly PublicEvent[]): Promise<Omit<Known, 'heads'>> {
  const found = await sql.rows<Found>(lookUp, [events.map((e) => e.id), keys.map((k) => Buffer.from(k, 'hex'))]);
  const of = (kind: Found['kind']) => found.filter((f) => f.kind === kind);
  return {
    appended: new Set(of('appended').map((f) => f.id)),
    progress: new Map(of('progress').map((f) => [f.key, { version: f.version, erased: f.erased }])),
    waiting: of('waiting').map(({ kind: _, occurred_at: occurredAt, erased: __, data, ...rest }) => ({
      ...rest,
      occurredAt,
      erases: false,
      ...(data !== null && { data }),
    })),
  };
}
