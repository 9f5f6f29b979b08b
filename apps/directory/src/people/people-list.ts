import { Injectable } from '@nestjs/common';
import type { listPeople, PersonCursor, RequestOf } from '@holdfast/contracts';
import { Database, statement, type Statement } from '@holdfast/data';
import { personColumns, withInvitation, type PersonRow } from './person.js';
import { PersonIndex } from './personal-data/person-index.js';

type Query = RequestOf<typeof listPeople>;

/** A person who passes the first filter, and whether the others let them through. */
interface Candidate {
  at: Date;
  id: string;
  matches: boolean;
}

/** Sorts after every person. */
const newest = { createdAt: 'infinity', person: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
/**
 * How many people one page looks at when it has several filters. So its cost is the same however large the organization
 * is: a page with rare matches has fewer items than its limit, and the next one continues there.
 */
const maxCandidates = 1000;

/**
 * The first filter is an index scan in the order of the page, from the cursor ($2, $3) on. PostgreSQL has no statistics
 * here (docs/adr/0023-no-planner-statistics.md), so each has a statement of its own; OFFSET 0 keeps the others from
 * being moved into the scan.
 */
function candidates(first: string, at: string, id: string, from: string): Statement {
  return statement(
    `people_by_${first}`,
    `SELECT c.at, c.id,
       ($4::uuid IS NULL OR EXISTS (
         SELECT FROM group_member m WHERE m.org = $1 AND m.group_id = $4 AND m.person_id = c.id))
       AND ($5::text IS NULL OR $5 = ANY (p.roles))
       AND ($6::text IS NULL OR $6 = p.status)
       AND NOT EXISTS (
         SELECT FROM unnest($7::bytea[]) AS wanted (token) WHERE NOT EXISTS (
           SELECT FROM person_search_token t WHERE t.org = $1 AND t.token = wanted.token
             AND t.created_at = p.created_at AND t.person_id = c.id)) AS matches
     FROM (SELECT ${at} AS at, ${id} AS id ${from} AND (${at}, ${id}) < ($2::timestamptz, $3::uuid)
           ORDER BY ${at} DESC, ${id} DESC LIMIT $8) c
       CROSS JOIN LATERAL (SELECT roles, status, created_at FROM person WHERE id = c.id OFFSET 0) p
     ORDER BY c.at DESC, c.id DESC`,
  );
}

const ofPerson = ['p.created_at', 'p.id'] as const;
/** By the filter that is an index scan. */
export const peoplePages = {
  group: candidates(
    'group',
    'm.added_at',
    'm.person_id',
    `FROM group_member m WHERE m.org = $1 AND m.group_id = $4
       AND (SELECT g.deleted_at IS NULL FROM person_group g WHERE g.org = $1 AND g.id = $4)`,
  ),
  role: candidates('role', ...ofPerson, `FROM person p WHERE p.org = $1 AND p.roles <> '{}'`),
  q: candidates(
    'search',
    't.created_at',
    't.person_id',
    'FROM person_search_token t WHERE t.org = $1 AND t.token = ($7::bytea[])[1]',
  ),
  status: candidates('status', ...ofPerson, 'FROM person p WHERE p.org = $1 AND p.status = $6'),
  none: candidates('organization', ...ofPerson, 'FROM person p WHERE p.org = $1'),
};
export const peopleLoadStatement = statement(
  'people_load',
  `SELECT ${personColumns} FROM unnest($2::uuid[]) AS wanted (id)
     CROSS JOIN LATERAL (SELECT * FROM person WHERE id = wanted.id AND org = $1 OFFSET 0) p ${withInvitation}`,
);

interface Page {
  rows: PersonRow[];
  next?: PersonCursor;
}

/**
 * One page of people by any filters, newest first; the members of a group with the latest member first.
 */
@Injectable()
export class PeopleList {
  constructor(
    private readonly database: Database,
    private readonly index: PersonIndex,
  ) {}

  async page(org: string, query: Query): Promise<Page> {
    const { status, role, group, q, limit, after = newest } = query;
    const filters = [group, role, status, q].filter((filter) => filter !== undefined).length;
    const searches = q === undefined ? [[]] : this.index.tokensOfSearch(org, q);
    // People with roles are few, but they are not only those with this one.
    const several = filters > 1 || role !== undefined || searches[0]!.length > 1;
    const scanned = several ? Math.max(maxCandidates, limit + 1) : limit + 1;
    const values = [org, after.createdAt, after.person, group ?? null, role ?? null, status ?? null];
    const found: Candidate[][] = [];
    // The current pepper last: somebody whose tokens are converted meanwhile is found under both.
    for (const words of searches.toReversed())
      found.push(await this.database.rows<Candidate>(firstFilterOf(query), [...values, words, scanned]));
    return this.pageOf(org, found.length === 1 ? found[0]! : merged(found).slice(0, scanned), limit, scanned);
  }

  private async pageOf(org: string, found: Candidate[], limit: number, scanned: number): Promise<Page> {
    const matching = found.filter(({ matches }) => matches);
    const page = matching.slice(0, limit);
    // The last one of the page, or the last one that was looked at.
    const end = matching.length > limit ? page.at(-1) : found.length === scanned ? found.at(-1) : undefined;
    return {
      rows: await this.load(org, page),
      ...(end && { next: { createdAt: end.at.toISOString(), person: end.id } }),
    };
  }

  private async load(org: string, page: Candidate[]): Promise<PersonRow[]> {
    if (page.length === 0) return [];
    const ids = page.map(({ id }) => id);
    const rows = new Map(
      (await this.database.rows<PersonRow>(peopleLoadStatement, [org, ids])).map((row) => [row.id, row]),
    );
    return ids.flatMap((id) => rows.get(id) ?? []);
  }
}

/** In the order of the page. Who is in several matches if one of them lets them through. */
function merged(all: Candidate[][]): Candidate[] {
  const byId = Map.groupBy(all.flat(), ({ id }) => id);
  return [...byId.values()]
    .map((same) => ({ ...same[0]!, matches: same.some(({ matches }) => matches) }))
    .sort((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1));
}

function firstFilterOf({ group, role, q, status }: Query): Statement {
  if (group !== undefined) return peoplePages.group;
  if (role !== undefined) return peoplePages.role;
  if (q !== undefined) return peoplePages.q;
  return status === undefined ? peoplePages.none : peoplePages.status;
}
