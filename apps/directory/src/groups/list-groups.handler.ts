import { Controller } from '@nestjs/common';
import { listGroups, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement, type Statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { OperatorReads } from '../organizations/operator-reads.js';
import { groupColumns, toGroup, type GroupRow } from './group.js';
import { afterPrefix, nameKeyOf } from './name-key.js';
import { newest } from './newest.js';

// The planner expects hardly any row without a value, and would then read all groups and sort them: hence CASE.
/** Newest first, after the cursor; or the names of a range, after the last one of the previous page. */
export const groupPages = {
  newest: statement(
    'groups_newest',
    `SELECT ${groupColumns} FROM person_group
     WHERE org = $1 AND (created_at, id) < ($3, $4) AND CASE WHEN deleted_at IS NULL THEN true END
     ORDER BY created_at DESC, id DESC LIMIT $2`,
  ),
  // The operators of text_pattern_ops compare bytes. Those of the collation could not use the index of prefixes.
  named: statement(
    'groups_named',
    `SELECT ${groupColumns} FROM person_group
     WHERE org = $1 AND name_key ~>=~ $3 AND name_key ~<~ $4 AND name_key ~>~ $5 AND deleted_at IS NULL
     ORDER BY name_key USING ~<~ LIMIT $2`,
  ),
};

type Request = RequestOf<typeof listGroups>;

/** GET …/admin/groups: newest first, or those whose name begins with `q`, by name. */
@Controller()
export class ListGroupsHandler {
  constructor(
    private readonly database: Database,
    private readonly reads: OperatorReads,
  ) {}

  @Handles(listGroups)
  async handle(request: Request, context: RequestContext): Promise<ReplyOf<typeof listGroups>> {
    await this.reads.record(context, 'group.list');
    const { limit } = request;
    const [shape, ...filters] = shapeOf(request);
    // One row more than the limit tells whether there is a further page.
    const rows = await this.database.rows<GroupRow>(shape, [context.org, limit + 1, ...filters]);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map(toGroup),
      ...(rows.length > limit &&
        last && {
          next:
            request.q === undefined
              ? { createdAt: last.createdAt.toISOString(), id: last.id }
              : { nameKey: last.nameKey },
        }),
    };
  }
}

function shapeOf({ q, after }: Request): [Statement, ...string[]] {
  if (q === undefined) {
    const { createdAt, id } = after && 'id' in after ? after : { createdAt: newest.at, id: newest.id };
    return [groupPages.newest, createdAt, id];
  }
  const key = nameKeyOf(q);
  return [groupPages.named, key, afterPrefix(key), after && 'nameKey' in after ? after.nameKey : ''];
}
