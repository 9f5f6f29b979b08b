import { Injectable } from '@nestjs/common';
import { allOrganizations } from '@holdfast/contracts';
import { Database, isNotFenced, statement, type Sql } from '@holdfast/data';
import { newId } from '@holdfast/platform';
import type { StreamState } from './entry-stream.js';

/** A replica that was killed has the lease for so long. */
export const leaseMs = 5000;

/** Writes nothing while nobody reads the stream. */
const takeLease = statement(
  'publisher_lease_take',
  `UPDATE publisher_lease SET holder = $1, until = clock_timestamp() + $2 * interval '1 millisecond'
   WHERE holder = $1 OR until < clock_timestamp() RETURNING 1`,
);
const releaseLease = statement(
  'publisher_lease_release',
  `UPDATE publisher_lease SET until = '-infinity' WHERE holder = $1`,
);
const selectOwners = statement(
  'reader_owners',
  `SELECT DISTINCT org, ${isNotFenced('r.org')} AS served FROM audit_reader r`,
);
const behind = `(h.seq > coalesce(p.seq, 0) OR p.stream <> $1 OR p.stream_seq > $2) AND ${isNotFenced('h.org')}`;
const columns = 'SELECT h.org, h.seq - least(h.seq, coalesce(p.seq, 0)) AS entries FROM';
const selectBehindOfAll = statement(
  'published_log_behind_all',
  `${columns} head h LEFT JOIN published_log p USING (org) WHERE ${behind}`,
);
const selectBehind = statement(
  'published_log_behind',
  `${columns} (SELECT DISTINCT org FROM audit_reader WHERE org <> '${allOrganizations}') r
     JOIN head h USING (org) LEFT JOIN published_log p USING (org) WHERE ${behind}`,
);
const selectPlace = statement(
  'published_log_place',
  `SELECT h.seq AS head, p.seq, p.stream, p.stream_seq AS "streamSeq"
   FROM head h LEFT JOIN published_log p USING (org) WHERE h.org = $1 AND ${isNotFenced('h.org')}`,
);
/** In another stream than before, the entries that the earlier one would still hold are published again. */
const selectAgain = statement(
  'published_log_again',
  `SELECT greatest(p.begin_seq, (SELECT (s.index + 1) * 256 FROM subtree s
     WHERE s.org = p.org AND s.level = 1 AND s.last_at < clock_timestamp() - $2 * interval '1 millisecond'
     ORDER BY s.last_at DESC, s.index DESC LIMIT 1)) AS seq
   FROM published_log p WHERE p.org = $1`,
);
const advance = statement(
  'published_log_advance',
  `INSERT INTO published_log AS p (org, begin_seq, seq, stream, stream_seq)
   SELECT g.org, 0, g.seq, $3, $4 FROM unnest($1::text[], $2::bigint[]) AS g(org, seq)
    WHERE ${isNotFenced('g.org')} ORDER BY g.org
   ON CONFLICT (org) DO UPDATE SET seq = excluded.seq, stream = excluded.stream, stream_seq = excluded.stream_seq
    WHERE p.stream <> excluded.stream OR p.stream_seq > excluded.stream_seq OR p.seq < excluded.seq`,
);
/** Begins with logs that nobody reads yet. What was published of them before does not lead up to here. */
const begin = statement(
  'published_log_begin',
  `INSERT INTO published_log AS p (org, begin_seq, seq, stream, stream_seq)
   SELECT h.org, coalesce($2::bigint, h.seq), coalesce($2::bigint, h.seq), $3, $4 FROM head h
    WHERE h.org = $1 OR ($1 = '${allOrganizations}' AND ${isNotFenced('h.org')}
      AND NOT EXISTS (SELECT FROM audit_reader r WHERE r.org = h.org))
    ORDER BY h.org
   ON CONFLICT (org) DO UPDATE SET begin_seq = excluded.begin_seq, seq = excluded.seq, stream = excluded.stream,
     stream_seq = excluded.stream_seq
    WHERE $2::bigint IS NULL`,
);

/** Up to where a log is published. */
export interface PublishedLog {
  head: number;
  seq: number | null;
  stream: string | null;
  streamSeq: number | null;
}

/** Up to where the stream has each log. The log is the record, so a place that is too early costs nothing but time. */
@Injectable()
export class PublishedLogs {
  private readonly holder = newId();

  constructor(private readonly database: Database) {}

  /** Whether this replica publishes from now on, until the lease ends. */
  async takeLease(): Promise<boolean> {
    return (await this.database.rows(takeLease, [this.holder, leaseMs])).length > 0;
  }

  async releaseLease(): Promise<void> {
    await this.database.rows(releaseLease, [this.holder]);
  }

  /** Whose logs are read here. `served` is false while the organization moves, and after it has moved. */
  owners(): Promise<{ org: string; served: boolean }[]> {
    return this.database.rows(selectOwners);
  }

  /** The logs that somebody reads and that the stream does not have to their end. */
  behind(all: boolean, { created, last }: StreamState): Promise<{ org: string; entries: number }[]> {
    return this.database.rows(all ? selectBehindOfAll : selectBehind, [created, last]);
  }

  /** Undefined for a log that does not exist, or that this shard does not serve. */
  async of(org: string): Promise<PublishedLog | undefined> {
    const [row] = await this.database.rows<PublishedLog>(selectPlace, [org]);
    return row;
  }

  /** After which entry to begin in a stream that was declared again, or has lost its newest messages. */
  async again(org: string, { maxAgeMs }: StreamState): Promise<number> {
    const [row] = await this.database.rows<{ seq: number }>(selectAgain, [org, maxAgeMs]);
    return row?.seq ?? 0;
  }

  async advance(places: readonly (readonly [string, number])[], { created, last }: StreamState): Promise<void> {
    if (places.length === 0) return;
    await this.database.rows(advance, [places.map(([org]) => org), places.map(([, seq]) => seq), created, last]);
  }

  /**
   * Begins to publish a log, or all logs, that nobody has read so far: after `after`, or else with what is appended
   * from now on. With `after`, a log that was published before goes on where it stopped.
   */
  async begin(sql: Sql, org: string, after: number | undefined, { created, last }: StreamState): Promise<void> {
    await sql.rows(begin, [org, after ?? null, created, last]);
  }
}
