import { Controller } from '@nestjs/common';
import { listEvents, type PublicEvent, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement, type Statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

interface Row {
  head: number;
  removed: number;
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
    `SELECT h.seq AS head, h.removed, e.* FROM head h LEFT JOIN LATERAL (${events} ORDER BY seq LIMIT $3) e ON true WHERE h.org = $1 ORDER BY e.seq`,
  );
}

export const allEvents = page('events_all', `SELECT ${columns} FROM event WHERE org = h.org AND seq > $2`);
/**
 * The next of each type by the index, of these the first: never a walk over all that is of no interest. Not `type =
 * t.type`, which leaves the planner the primary key: it takes a type too rare for its statistics for one that nearly
 * every event has.
 */
export const eventsOfTypes = page(
  'events_of_types',
  `SELECT o.* FROM unnest($4::text[]) AS t(type), LATERAL (
     SELECT ${columns} FROM event WHERE org = h.org AND (type, seq) > (t.type, $2) AND type <= t.type ORDER BY type, seq LIMIT $3) o`,
);

/** GET …/admin/events: what has happened in the organization since the reader's cursor, oldest first (product §8). */
@Controller()
export class ListEventsHandler {
  constructor(private readonly database: Database) {}

  @Handles(listEvents)
  async handle(
    { after, types, limit }: RequestOf<typeof listEvents>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listEvents>> {
    // One more than asked for tells whether there is a further page.
    const values = [org, after ?? 0, limit + 1];
    const rows = await (types
      ? this.database.rows<Row>(eventsOfTypes, [...values, types])
      : this.database.rows<Row>(allEvents, values));
    const { head, removed } = rows[0] ?? { head: 0, removed: 0 };
    // Behind what was removed for its age, or ahead of a feed that was restored from a backup: the reader would miss
    // events.
    if (after !== undefined && (after < removed || after > head)) throw new AppError('page_token_expired');
    const found = rows.flatMap(({ seq, id, type, occurred_at, version, data }) =>
      seq === null ? [] : [{ seq, event: { id, type, occurredAt: occurred_at.toISOString(), version, data } }],
    );
    const items = found.slice(0, limit);
    const hasMore = found.length > limit;
    // At the end of the feed the cursor is its head, not the last of the types asked for: that one may be too old
    // tomorrow.
    return { items: items.map((f) => f.event), next: hasMore ? items.at(-1)!.seq : head, hasMore };
  }
}
