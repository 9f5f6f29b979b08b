import { Controller, Inject } from '@nestjs/common';
import { listAssignments, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { newest } from '../groups/newest.js';
import { OperatorReads } from '../organizations/operator-reads.js';
import { assignmentColumns, toAssignment, type AssignmentRow } from './assignment.js';
import { requireApp } from './assignments.js';

const page = (name: string, from: string) =>
  statement(
    `assignments_${name}`,
    `SELECT ${assignmentColumns} FROM ${from}
     WHERE (expires_at IS NULL OR expires_at > $3) AND (created_at, id) < ($5, $6)
     ORDER BY created_at DESC, id DESC LIMIT $4`,
  );
// OFFSET 0: the few assignments of one person or group are found by these members and then filtered.
const few = (member: string) =>
  `(SELECT * FROM assignment WHERE org = $1 AND client_id = $2 AND ${member} = $7 OFFSET 0) a`;
/** One statement for each filter and its index. */
export const assignmentPages = {
  all: page('all', '(SELECT * FROM assignment WHERE org = $1 AND client_id = $2) a'),
  user: page('user', few('person_id')),
  group: page('group', few('group_id')),
};

/** GET …/admin/apps/{clientId}/assignments: newest first. */
@Controller()
export class ListAssignmentsHandler {
  constructor(
    private readonly database: Database,
    private readonly reads: OperatorReads,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(listAssignments)
  async handle(
    { clientId, user, group, limit, after }: RequestOf<typeof listAssignments>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listAssignments>> {
    const { org } = context;
    await requireApp(this.database, org, clientId);
    await this.reads.record(context, 'assignment.list', [{ type: 'app', id: clientId }]);
    // Each assignment has a person or a group: a filter for both matches none.
    if (user !== undefined && group !== undefined) return { items: [] };
    const { createdAt, id } = after ?? { createdAt: newest.at, id: newest.id };
    const values = [org, clientId, this.clock.now(), limit + 1, createdAt, id];
    const [shape, ...filter] =
      user !== undefined
        ? [assignmentPages.user, user]
        : group !== undefined
          ? [assignmentPages.group, group]
          : [assignmentPages.all];
    const rows = await this.database.rows<AssignmentRow>(shape, [...values, ...filter]);
    const items = rows.slice(0, limit).map(toAssignment);
    const last = items.at(-1);
    return { items, ...(rows.length > limit && last && { next: { createdAt: last.createdAt, id: last.id } }) };
  }
}
