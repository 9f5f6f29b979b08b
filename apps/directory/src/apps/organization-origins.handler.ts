import { Controller } from '@nestjs/common';
import { organizationOrigins, webOrigins, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';

const select = statement(
  'organization_origins',
  "SELECT redirect_uris FROM app WHERE org = $1 AND kind = 'spa' AND NOT disabled AND deleted_at IS NULL",
);

/** The origins whose pages call the issuer's endpoints: those of spa apps. Apps of other kinds do not use a browser. */
@Controller()
export class OrganizationOriginsHandler {
  constructor(private readonly database: Database) {}

  @Handles(organizationOrigins)
  async handle({ shortId }: RequestOf<typeof organizationOrigins>): Promise<ReplyOf<typeof organizationOrigins>> {
    const apps = await this.database.rows<{ redirect_uris: string[] }>(select, [shortId]);
    return { origins: webOrigins(apps.flatMap((app) => app.redirect_uris)) };
  }
}
