import { Controller, Inject } from '@nestjs/common';
import {
  listSubjects,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type SubjectState,
} from '@holdfast/contracts';
import { ReadDatabase, statement, type Statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { behind, Freshness } from './freshness.js';
import { summaryForm } from './subject.js';

/**
 * One prepared statement per shape, each with its index. With nullable parameters no plan would suit all shapes. The
 * states come as one text: one value to read and to parse, instead of one of each customer, costs a third less CPU time
 * here (docs/performance.md).
 */
function page(name: string, conditions: string): Statement {
  return statement(
    name,
    `SELECT m.behind, (
       SELECT '[' || string_agg(s.state::text, ',' ORDER BY s.created_at DESC, s.subject DESC) || ']' FROM (
         SELECT state, created_at, subject FROM subject
          WHERE subject IS NOT NULL AND org = $1 AND app = $2 ${conditions}
         ORDER BY created_at DESC, subject DESC LIMIT $3) s) AS states
     FROM (SELECT ${behind('$1')}) m`,
  );
}

const after = 'AND (created_at, subject) < ($4, $5)';
export const pages = {
  first: page('subjects_first', ''),
  next: page('subjects_next', after),
  firstClaimed: page('subjects_first_claimed', 'AND claimed = $4'),
  nextClaimed: page('subjects_next_claimed', `${after} AND claimed = $6`),
};

/** GET …/credentials/subjects: the customers of the calling app, newest first (specification §4.2). */
@Controller()
export class ListSubjectsHandler {
  constructor(
    private readonly database: ReadDatabase,
    private readonly freshness: Freshness,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(listSubjects)
  async listSubjects(
    { claimed, limit, after: cursor }: RequestOf<typeof listSubjects>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof listSubjects>> {
    const shape =
      claimed === undefined ? (cursor ? pages.next : pages.first) : cursor ? pages.nextClaimed : pages.firstClaimed;
    // One row more than the limit tells whether there is a further page.
    const values = [
      org,
      actor.id,
      limit + 1,
      ...(cursor ? [cursor.createdAt, cursor.subject] : []),
      ...(claimed === undefined ? [] : [claimed]),
    ];
    const { states } = await this.freshness.read(org, async () => {
      const [row] = await this.database.rows<{ behind: boolean; states: string | null }>(shape, values);
      return { behind: row!.behind, states: JSON.parse(row!.states ?? '[]') as SubjectState[] };
    });
    const now = this.clock.now();
    const items = states.slice(0, limit).map((state) => summaryForm(state, now));
    const last = items.at(-1);
    return {
      items,
      ...(states.length > limit && last && { next: { createdAt: last.createdAt, subject: last.subject } }),
    };
  }
}
