import { Controller } from '@nestjs/common';
import { organizationLogo, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

const select = statement(
  'logo_by_id',
  `SELECT l.png FROM logo l JOIN organization o ON o.short_id = l.org
   WHERE l.org = $1 AND l.id = $2 AND NOT o.suspended`,
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
