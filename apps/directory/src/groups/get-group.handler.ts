import { Controller } from '@nestjs/common';
import { getGroup, type Group, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { OperatorReads } from '../organizations/operator-reads.js';
import { groupColumns, groupTarget, toGroup, unknownGroup, type GroupRow } from './group.js';

const find = statement(
  'group_get',
  `SELECT ${groupColumns} FROM person_group WHERE org = $1 AND id = $2 AND deleted_at IS NULL`,
);

@Controller()
export class GetGroupHandler {
  constructor(
    private readonly database: Database,
    private readonly reads: OperatorReads,
  ) {}

  @Handles(getGroup)
  async handle({ group }: RequestOf<typeof getGroup>, context: RequestContext): Promise<Group> {
    const [row] = await this.database.rows<GroupRow>(find, [context.org, group]);
    if (!row) throw unknownGroup();
    await this.reads.record(context, 'group.read', [groupTarget(group)]);
    return toGroup(row);
  }
}
