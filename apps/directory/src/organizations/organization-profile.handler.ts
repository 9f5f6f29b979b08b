import { Controller } from '@nestjs/common';
import { organizationProfile, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { brandingIn, type BrandingColumns, type OrganizationEntity } from './organization.entity.js';
import { unknownOrganization } from './organizations.js';
import { relyingPartyIn, type RpIds } from './rp-ids.js';

const select = statement(
  'organization_profile',
  `SELECT name, rp_id AS "rpId", moving, earlier_rp_id AS "earlierRpId", short_id AS "shortId",
     start_url AS "startUrl", help_url AS "helpUrl", accent_color AS "accentColor", logo_id AS "logoId"
   FROM organization WHERE short_id = $1 AND NOT suspended`,
);

/** A suspended organization looks to the public like one that does not exist. */
@Controller()
export class OrganizationProfileHandler {
  constructor(private readonly database: Database) {}

  @Handles(organizationProfile)
  async handle({ shortId }: RequestOf<typeof organizationProfile>): Promise<ReplyOf<typeof organizationProfile>> {
    const [row] = await this.database.rows<RpIds & BrandingColumns & Pick<OrganizationEntity, 'name'>>(select, [
      shortId,
    ]);
    if (!row) throw unknownOrganization(shortId);
    return { shortId, name: row.name, ...relyingPartyIn(row), ...brandingIn(row) };
  }
}
