import { Controller } from '@nestjs/common';
import {
  listGroupMembers,
  listGroupsOfPerson,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, statement, type Statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OperatorReads } from '../organizations/operator-reads.js';
import { groupTarget, unknownGroup } from './group.js';
import { newest } from './newest.js';

interface MembershipRow {
  id: string;
  name: string;
  addedAt: Date;
}

/** The first row only says whether the group or person exists: then a list without rows is empty, else unknown. */
function page(name: string, exists: string, memberships: string): Statement {
  return statement(
    name,
    `SELECT r.* FROM (SELECT FROM ${exists}) e LEFT JOIN LATERAL (${memberships}) r ON true
     ORDER BY r."addedAt" DESC, r.id DESC`,
  );
}
export const memberPages = {
  ofGroup: page(
    'group_members',
    'person_group WHERE org = $1 AND id = $2 AND deleted_at IS NULL',
    `SELECT person_id AS id, '' AS name, added_at AS "addedAt" FROM group_member
     WHERE org = $1 AND group_id = $2 AND (added_at, person_id) < ($4, $5)
     ORDER BY added_at DESC, person_id DESC LIMIT $3`,
  ),
  ofPerson: page(
    'person_groups',
    'person WHERE org = $1 AND id = $2',
    `SELECT g.id, g.name, m.added_at AS "addedAt" FROM (
       SELECT group_id, added_at FROM group_member
       WHERE org = $1 AND person_id = $2 AND (added_at, group_id) < ($4, $5)
         AND (SELECT o.deleted_at IS NULL FROM person_group o WHERE o.org = $1 AND o.id = group_id)
       ORDER BY added_at DESC, group_id DESC LIMIT $3) m,
     LATERAL (SELECT id, name FROM person_group WHERE org = $1 AND id = m.group_id OFFSET 0) g`,
  ),
};

/** GET …/admin/groups/{group}/members and …/admin/users/{user}/groups: newest membership first. */
@Controller()
export class ListMembersHandler {
  constructor(
    private readonly database: Database,
    private readonly reads: OperatorReads,
  ) {}

  @Handles(listGroupMembers)
  async members(
    { group, ...request }: RequestOf<typeof listGroupMembers>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listGroupMembers>> {
    await this.reads.record(context, 'group.member.list', [groupTarget(group)]);
    const page = await this.page(memberPages.ofGroup, [context.org, group], request);
    if (!page) throw unknownGroup();
    return { ...page, items: page.items.map(({ id, addedAt }) => ({ user: id, addedAt: addedAt.toISOString() })) };
  }

  @Handles(listGroupsOfPerson)
  async groups(
    { user, ...request }: RequestOf<typeof listGroupsOfPerson>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listGroupsOfPerson>> {
    const page = await this.page(memberPages.ofPerson, [org, user], request);
    if (!page) throw new AppError('unknown_user');
    const items = page.items.map(({ id, name, addedAt }) => ({ group: id, name, addedAt: addedAt.toISOString() }));
    return { ...page, items };
  }

  /** Undefined when what is listed does not exist. */
  private async page(
    statement: Statement,
    of: [org: string, id: string],
    { limit, after }: { limit: number; after?: { addedAt: string; id: string } | undefined },
  ) {
    const { addedAt, id } = after ?? { addedAt: newest.at, id: newest.id };
    const values = [...of, limit + 1, addedAt, id];
    const rows = await this.database.rows<{ [K in keyof MembershipRow]: MembershipRow[K] | null }>(statement, values);
    if (rows.length === 0) return undefined;
    const found = rows.filter((row): row is MembershipRow => row.id !== null);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return {
      items,
      ...(found.length > limit && last && { next: { addedAt: last.addedAt.toISOString(), id: last.id } }),
    };
  }
}
