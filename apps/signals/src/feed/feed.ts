import { Inject, Injectable, Logger } from '@nestjs/common';
import { columns, Database, namedStatement, statement, type Sql, type Transaction } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { appendInOrder, type FeedPlan, type FeedState, type Progress } from './append-in-order.js';
import { feedLag } from './feed-metrics.js';
import type { EventCause, PublicEvent } from './public-event.js';

const newHeads = statement(
  'head_new',
  'INSERT INTO head (org, seq) SELECT org, 0 FROM unnest($1::text[]) AS o(org) ON CONFLICT DO NOTHING',
);
/** Ordered by organization, so that two batches cannot deadlock. */
const lockHeads = statement(
  'head_lock',
  'SELECT org, seq, webhooks, streams FROM head WHERE org = ANY ($1) ORDER BY org FOR UPDATE',
);
/** A statement of its own, after the heads are locked, so that it sees what the previous batch committed. */
const loadState = statement(
  'feed_state',
  `SELECT 'early' AS kind, w.id, w.org, encode(w.key, 'hex') AS key, w.type, w.occurred_at, w.version, w.data,
          w.cause, w.received_at, false AS erased
     FROM unnest($2::bytea[]) AS q(key), LATERAL (SELECT * FROM early_event WHERE key = q.key LIMIT 1000) w
   UNION ALL
   SELECT 'appended', q.id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
     FROM unnest($1::uuid[]) AS q(id), LATERAL (SELECT FROM event WHERE id = q.id LIMIT 1) e
   UNION ALL
   SELECT 'progress', NULL, NULL, encode(q.key, 'hex'), NULL, NULL, a.version, NULL, NULL, NULL,
          a.erased_at IS NOT NULL
     FROM unnest($2::bytea[]) AS q(key),
       LATERAL (SELECT version, erased_at FROM aggregate WHERE key = q.key LIMIT 1) a`,
);
const writeBatch = namedStatement(
  'feed_write',
  {
    entries: columns<FeedPlan['entries'][number]>({
      org: ['text', (e) => e.org],
      seq: ['bigint', (e) => e.seq],
      id: ['uuid', (e) => e.id],
      type: ['text', (e) => e.type],
      occurred_at: ['timestamptz', (e) => e.occurredAt],
      version: ['int', (e) => e.version],
      key: ['bytea', (e) => bytes(e.key)],
      data: ['json', (e) => JSON.stringify(e.data)],
      cause: ['json', (e) => e.cause && JSON.stringify(e.cause)],
    }),
    now: 'timestamptz',
    aggregates: columns<[key: string, progress: Progress]>({
      key: ['bytea', ([key]) => bytes(key)],
      version: ['int', ([, p]) => p.version],
      erased: ['boolean', ([, p]) => p.erased],
    }),
    early: columns<PublicEvent>({
      id: ['uuid', (e) => e.id],
      org: ['text', (e) => e.org],
      key: ['bytea', (e) => bytes(e.key)],
      type: ['text', (e) => e.type],
      occurred_at: ['timestamptz', (e) => e.occurredAt],
      version: ['int', (e) => e.version],
      data: ['json', (e) => (e.data === undefined ? null : JSON.stringify(e.data))],
      cause: ['json', (e) => e.cause && JSON.stringify(e.cause)],
      received_at: ['timestamptz', (e) => e.receivedAt],
    }),
    settled: 'uuid[]',
    erased: 'bytea[]',
  },
  ({ entries, now, aggregates, early, settled, erased }) =>
    `WITH entries AS (
     INSERT INTO event (${entries.names}, appended_at)
     SELECT e.*, ${now}::timestamptz FROM ${entries.unnest('e')}
   ), heads AS (
     UPDATE head SET seq = h.seq
       FROM (SELECT org, max(seq) AS seq FROM ${entries.unnest('e', ['org', 'seq'])} GROUP BY org) h
      WHERE head.org = h.org
   ), aggregates AS (
     INSERT INTO aggregate AS a (key, version, erased_at)
     SELECT key, version, CASE WHEN erased THEN ${now}::timestamptz END FROM ${aggregates.unnest('p')}
     ON CONFLICT (key) DO UPDATE SET version = excluded.version, erased_at = coalesce(a.erased_at, excluded.erased_at)
   ), early AS (
     INSERT INTO early_event (${early.names}) SELECT * FROM ${early.unnest('e')}
   ), settled AS (
     DELETE FROM early_event WHERE id = ANY (${settled}) OR key = ANY (${erased})
   )
   DELETE FROM event WHERE key = ANY (${erased})`,
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
  cause: EventCause | null;
  received_at: Date;
  erased: boolean;
}

interface Head {
  org: string;
  seq: number;
  webhooks: boolean;
  streams: boolean;
}

export type FeedEntry = FeedPlan['entries'][number];

/** What gets events from the feed, so that it can never disagree with it. */
export interface FeedSubscriber {
  /** The column of `head` that says whether an organization has any: without, an event costs nothing more. */
  readonly flag: 'webhooks' | 'streams';
  /**
   * Stores what follows from these events, in the transaction that appends them. It starts its statements before it
   * waits for any, so that they are sent together with those of the feed.
   *
   * @param erased keys of customers and people of whom nothing earlier may be left, in bytes
   * @param now the time at which the events are appended
   * @returns what to do once it is committed
   */
  add(sql: Sql, entries: readonly FeedEntry[], erased: readonly Buffer[], now: Date): Promise<() => void>;
}

/** Appends events to the feeds of their organizations, each batch in one transaction. */
@Injectable()
export class Feed {
  private readonly logger = new Logger('feed');
  private readonly subscribers: FeedSubscriber[] = [];

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** From now on the subscriber gets each event with the transaction that appends it. */
  addSubscriber(subscriber: FeedSubscriber): void {
    this.subscribers.push(subscriber);
  }

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
    const { plan, followUps } = await this.database.transaction(async (sql) => {
      // Both are sent at once and take one round trip. PostgreSQL still executes the second after the first.
      const load = () => Promise.all([lockedHeads(sql, orgs), loadStored(sql, keys, events)]);
      let [heads, stored] = await load();
      if (heads.size < orgs.length) {
        await sql.rows(newHeads, [orgs.sort()]);
        [heads, stored] = await load();
      }
      const seqs = new Map([...heads].map(([org, { seq }]) => [org, seq]));
      const next = appendInOrder(events, { heads: seqs, ...stored }, now);
      return { plan: next, followUps: await this.write(sql, next, heads, now) };
    });
    for (const followUp of followUps) followUp();
    const { entries, unordered } = plan;
    for (const { occurredAt } of entries) feedLag.observe(Math.max(0, now.getTime() - occurredAt.getTime()) / 1000);
    for (const { id, type, version, org } of unordered) {
      this.logger.warn(
        `Event ${id} of ${org} (${type}, version ${version}) was appended to the feed out of order: ` +
          'a predecessor did not arrive within a minute',
      );
    }
  }

  /** @returns what subscribers do once it is committed */
  private async write(
    sql: Transaction,
    { entries, progress, early, settled, erased: erasedKeys }: FeedPlan,
    heads: ReadonlyMap<string, Head>,
    now: Date,
  ): Promise<(() => void)[]> {
    const erased = [...erasedKeys].map(bytes);
    const values = writeBatch.values({ entries, now, aggregates: [...progress], early, settled, erased });
    const concerned = this.subscribers.filter(({ flag }) => [...heads.values()].some((head) => head[flag]));
    if (concerned.length === 0) {
      await sql.last(writeBatch, values);
      return [];
    }
    const written = sql.rows(writeBatch, values);
    const added = concerned.map((subscriber) => {
      const isSubscribed = ({ org }: { org: string }) => heads.get(org)?.[subscriber.flag] ?? false;
      return subscriber.add(sql, entries.filter(isSubscribed), erased, now);
    });
    const [followUps] = await Promise.all([Promise.all(added), written]);
    return followUps;
  }
}

function bytes(key: string): Buffer {
  return Buffer.from(key, 'hex');
}

async function lockedHeads(sql: Sql, orgs: string[]): Promise<Map<string, Head>> {
  const rows = await sql.rows<Head>(lockHeads, [orgs]);
  return new Map(rows.map((head) => [head.org, head]));
}

async function loadStored(sql: Sql, keys: string[], events: readonly PublicEvent[]): Promise<Omit<FeedState, 'heads'>> {
  const rows = await sql.rows<StateRow>(loadState, [events.map((e) => e.id), keys.map(bytes)]);
  const of = (kind: StateRow['kind']) => rows.filter((row) => row.kind === kind);
  return {
    appended: new Set(of('appended').map((row) => row.id)),
    progress: new Map(of('progress').map((row) => [row.key, { version: row.version, erased: row.erased }])),
    early: of('early').map(
      ({ id, org, key, type, version, occurred_at: occurredAt, received_at: receivedAt, data, cause }) => ({
        id,
        org,
        key,
        type,
        version,
        occurredAt,
        receivedAt,
        erases: false,
        ...(data !== null && { data }),
        ...(cause && { cause }),
      }),
    ),
  };
}
