import { Controller } from '@nestjs/common';
import { listEvents, type PublicEvent, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement, type Statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

interface Row {
  head: number;
  removed: number;
  lost: boolean;
  seq: number | null;
  id: string;
  type: PublicEvent['type'];
  occurred_at: Date;
  version: number;
  data: PublicEvent['data'];
}

const columns = 'seq, id, type, occurred_at, version, data';

/** Head and events in one statement: no event up to the head is invisible to it, since both commit together. */
function page(name: string, events: string): Statement {
  return statement(
    name,
    `SELECT h.seq AS head, h.removed, h.lost @> $2::bigint AS lost, e.*
       FROM head h LEFT JOIN LATERAL (${events} ORDER BY seq LIMIT $3) e ON true
      WHERE h.org = $1 ORDER BY e.seq`,
  );
}

export const allEvents = page('events_all', `SELECT ${columns} FROM event WHERE org = h.org AND seq > $2`);
/**
 * Reads the next events of each type by index, and of these the first ones: other events are not read. The condition is
 * not `type = t.type`, with which the planner may use the primary key: it estimates a type that is too rare for its
 * statistics as one that nearly every event has.
 */
export const eventsOfTypes = page(
  'events_of_types',
  `SELECT o.* FROM unnest($4::text[]) AS t(type), LATERAL (
     SELECT ${columns} FROM event WHERE org = h.org AND (type, seq) > (t.type, $2) AND type <= t.type
      ORDER BY type, seq LIMIT $3) o`,
);

/** GET …/admin/events: the organization's events since the reader's cursor, oldest first (product §8). */
@Controller()
export class ListEventsHandler {
  constructor(private readonly database: Database) {}

  @Handles(listEvents)
  async handle(
    { after, types, limit }: RequestOf<typeof listEvents>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listEvents>> {
    // One row more than the limit tells whether there is a further page.
    const values = [org, after ?? 0, limit + 1];
    const rows = await (types
      ? this.database.rows<Row>(eventsOfTypes, [...values, types])
      : this.database.rows<Row>(allEvents, values));
    const { head, removed, lost } = rows[0] ?? { head: 0, removed: 0, lost: false };
    // The reader would miss events: its cursor is older than the retention, or newer than the backup from which the
    // feed was restored.
    if (after !== undefined && (after < removed || after > head || lost)) throw new AppError('page_token_expired');
    const events = rows.flatMap(({ seq, id, type, occurred_at, version, data }) =>
      seq === null ? [] : [{ seq, event: { id, type, occurredAt: occurred_at.toISOString(), version, data } }],
    );
    const items = events.slice(0, limit);
    const hasMore = events.length > limit;
    // On the last page the cursor is the head of the feed, not the last event of the requested types, which may be
    // removed earlier.
    return { items: items.map(({ event }) => event), next: hasMore ? items.at(-1)!.seq : head, hasMore };
  }
}
