import { Controller, Inject } from '@nestjs/common';
import {
  customersVisibleTo,
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

/**
 * The same for every app of the organization: the newest customers of each app, of which the newest are taken. The apps
 * are found by one look at the index for each, so no index of its own is written with each customer. $2 is null.
 */
function pageOfAll(name: string, conditions: string): Statement {
  const nextApp = (condition: string) =>
    `(SELECT app FROM subject WHERE subject IS NOT NULL AND org = $1 ${condition} ORDER BY app LIMIT 1)`;
  return statement(
    name,
    `WITH RECURSIVE apps AS (
       SELECT ${nextApp('AND $2::text IS NULL')} AS app
       UNION ALL SELECT ${nextApp('AND app > apps.app')} FROM apps WHERE apps.app IS NOT NULL)
     SELECT m.behind, (
       SELECT '[' || string_agg(s.state::text, ',' ORDER BY s.created_at DESC, s.subject DESC) || ']' FROM (
         SELECT n.* FROM apps CROSS JOIN LATERAL (
           SELECT state, created_at, subject FROM subject
            WHERE subject IS NOT NULL AND org = $1 AND app = apps.app ${conditions}
           ORDER BY created_at DESC, subject DESC LIMIT $3) n
         WHERE apps.app IS NOT NULL ORDER BY created_at DESC, subject DESC LIMIT $3) s) AS states
     FROM (SELECT ${behind('$1')}) m`,
  );
}

const after = 'AND (created_at, subject) < ($4, $5)';
const shapes = (declare: typeof page, name: string) => ({
  first: declare(`${name}_first`, ''),
  next: declare(`${name}_next`, after),
  firstClaimed: declare(`${name}_first_claimed`, 'AND claimed = $4'),
  nextClaimed: declare(`${name}_next_claimed`, `${after} AND claimed = $6`),
});
export const pages = shapes(page, 'subjects');
export const pagesOfAll = shapes(pageOfAll, 'subjects_of_all');

/**
 * GET …/credentials/subjects: the customers of the calling app, newest first (specification §4.2). A person lists those
 * of every app, or of one.
 */
@Controller()
export class ListSubjectsHandler {
  constructor(
    private readonly database: ReadDatabase,
    private readonly freshness: Freshness,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(listSubjects)
  async listSubjects(
    { claimed, app: chosen, limit, after: cursor }: RequestOf<typeof listSubjects>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof listSubjects>> {
    const own = customersVisibleTo(actor);
    // An app that names another one sees nothing: for it, the customers of others do not exist.
    if (own !== undefined && chosen !== undefined && chosen !== own) return { items: [] };
    const app = own ?? chosen;
    const { first, next, firstClaimed, nextClaimed } = app === undefined ? pagesOfAll : pages;
    const shape = claimed === undefined ? (cursor ? next : first) : cursor ? nextClaimed : firstClaimed;
    // One row more than the limit tells whether there is a further page.
    const values = [
      org,
      app,
      limit + 1,
      ...(cursor ? [cursor.createdAt, cursor.subject] : []),
      ...(claimed === undefined ? [] : [claimed]),
    ];
    const { states } = await this.freshness.read(org, async () => {
      const [row] = await this.database.rows<{ behind: boolean; states: string | null }>(shape, values);
      return { behind: row!.behind, states: JSON.parse(row!.states ?? '[]') as SubjectState[] };
    });
    const now = this.clock.now();
    const items = states.slice(0, limit).map((state) => summaryForm(state, now, own === undefined));
    const last = items.at(-1);
    return {
      items,
      ...(states.length > limit && last && { next: { createdAt: last.createdAt, subject: last.subject } }),
    };
  }
}
