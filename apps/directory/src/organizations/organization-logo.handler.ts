import { Controller } from '@nestjs/common';
import { organizationLogo, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

const select = statement(
  'logo_by_id',
  `SELECT l.png FROM organization o CROSS JOIN LATERAL (
     SELECT png FROM logo WHERE org = o.short_id AND id = $2
     UNION ALL SELECT png FROM app_logo WHERE org = o.short_id AND id = $2
   ) l WHERE o.short_id = $1 AND NOT o.suspended LIMIT 1`,
);

@Controller()
export class OrganizationLogoHandler {
  constructor(private readonly database: Database) {}

  @Handles(organizationLogo)
  async handle({ shortId, logoId }: RequestOf<typeof organizationLogo>): Promise<ReplyOf<typeof organizationLogo>> {
    const [row] = await this.database.rows<{ png: Buffer }>(select, [shortId, logoId]);
    if (!row) throw new AppError('not_found');
    return { png: row.png.toString('base64') };
  }
}
