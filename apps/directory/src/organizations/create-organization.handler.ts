import { Handles } from '@holdfast/bus';
import { createOrganization, type CallContext, type Organization, type RequestOf } from '@holdfast/contracts';
import { AppError } from '@holdfast/kit';
import { statement } from '@holdfast/data';
import { Controller } from '@nestjs/common';
import { Changes } from '../changes.js';
import { organizationColumns, toOrganization, type OrganizationRow } from './organization.js';

const insert = statement(
  'organization_insert',
  `INSERT INTO organization (short_id, name) VALUES ($1, $2) ON CONFLICT (short_id) DO NOTHING RETURNING ${organizationColumns}`,
);

@Controller()
export class CreateOrganizationHandler {
  constructor(private readonly changes: Changes) {}

  @Handles(createOrganization)
  handle({ shortId, name }: RequestOf<typeof createOrganization>, context: CallContext): Promise<Organization> {
    return this.changes.commit(context, async (sql) => {
      const [row] = await sql.rows<OrganizationRow>(insert, [shortId, name]);
      if (!row) throw new AppError('conflict', `There is already an organization "${shortId}"; a short ID is never used twice.`);
      return {
        change: { type: 'organization.created', org: shortId, version: row.version, action: 'organization.create', changes: { name: { to: name } } },
        reply: toOrganization(row),
      };
    });
  }
}
