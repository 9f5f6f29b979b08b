import { Controller } from '@nestjs/common';
import { organizationProfile, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { relyingPartyIn, type RpIds } from './rp-ids.js';

const select = statement(
  'organization_profile',
  'SELECT name, rp_id, moving, earlier_rp_id FROM organization WHERE short_id = $1 AND NOT suspended',
);

/** To the public a suspended organization is one that is not there. */
@Controller()
export class OrganizationProfileHandler {
  constructor(private readonly database: Database) {}

  @Handles(organizationProfile)
  async handle({ shortId }: RequestOf<typeof organizationProfile>): Promise<ReplyOf<typeof organizationProfile>> {
    const [row] = await this.database.rows<RpIds & { name: string }>(select, [shortId]);
    if (!row) throw new AppError('unknown_organization', `There is no organization "${shortId}".`);
    return { shortId, name: row.name, ...relyingPartyIn(row) };
  }
}
