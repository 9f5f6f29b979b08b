import { Controller } from '@nestjs/common';
import { listOrganizations, type ReplyOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { organizationColumns, toOrganization, type OrganizationRow } from './organization.entity.js';

const select = statement('organization_list', `SELECT ${organizationColumns} FROM organization ORDER BY short_id`);

@Controller()
export class ListOrganizationsHandler {
  constructor(private readonly database: Database) {}

  @Handles(listOrganizations)
  async handle(): Promise<ReplyOf<typeof listOrganizations>> {
    return { items: (await this.database.rows<OrganizationRow>(select)).map(toOrganization) };
  }
}
