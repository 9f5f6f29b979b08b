import { Controller } from '@nestjs/common';
import { knownOrganizations, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';

const select = statement('organization_known', 'SELECT short_id FROM organization WHERE short_id = ANY ($1)');

@Controller()
export class KnownOrganizationsHandler {
  constructor(private readonly database: Database) {}

  @Handles(knownOrganizations)
  async handle({ shortIds }: RequestOf<typeof knownOrganizations>): Promise<ReplyOf<typeof knownOrganizations>> {
    return { known: (await this.database.rows<{ short_id: string }>(select, [shortIds])).map((row) => row.short_id) };
  }
}
