import { Controller } from '@nestjs/common';
import { suspendOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { Changes } from '../changes/changes.js';
import { organizationColumns, toOrganization, type OrganizationRow } from './organization.entity.js';

const update = statement(
  'organization_suspend',
  `UPDATE organization o SET suspended = $2, version = o.version + 1
   FROM (SELECT suspended FROM organization WHERE short_id = $1 FOR UPDATE) was WHERE o.short_id = $1
   RETURNING ${organizationColumns.replaceAll(/(\w+)/g, 'o.$1')}, was.suspended AS before`,
);

/** While it is suspended all of its apps are refused; resuming gives back what they had. */
@Controller()
export class SuspendOrganizationHandler {
  constructor(private readonly changes: Changes) {}

  @Handles(suspendOrganization)
  handle(
    { shortId, suspended }: RequestOf<typeof suspendOrganization>,
    context: RequestContext,
  ): Promise<Organization> {
    return this.changes.commit(context, async (sql) => {
      const [row] = await sql.rows<OrganizationRow & { before: boolean }>(update, [shortId, suspended]);
      if (!row) throw new AppError('unknown_organization', `There is no organization "${shortId}".`);
      return {
        change: {
          type: 'organization.updated',
          org: shortId,
          version: row.version,
          action: suspended ? 'organization.suspend' : 'organization.resume',
          changes: { suspended: { from: row.before, to: suspended } },
        },
        reply: toOrganization(row),
      };
    });
  }
}
