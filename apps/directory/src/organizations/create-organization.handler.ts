import { Controller, Inject } from '@nestjs/common';
import { createOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, Outbound } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { Changes } from '../changes/changes.js';
import type { Config } from '../config.js';
import { organizationColumns, toOrganization, type OrganizationRow } from './organization.entity.js';
import { requireUsableRpId } from './usable-rp-id.js';

const insert = statement(
  'organization_insert',
  `INSERT INTO organization (short_id, name, rp_id) VALUES ($1, $2, $3) ON CONFLICT (short_id) DO NOTHING RETURNING ${organizationColumns}`,
);

@Controller()
export class CreateOrganizationHandler {
  constructor(
    private readonly changes: Changes,
    private readonly outbound: Outbound,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Handles(createOrganization)
  async handle(
    { shortId, name, rpId }: RequestOf<typeof createOrganization>,
    context: RequestContext,
  ): Promise<Organization> {
    if (rpId !== undefined) await requireUsableRpId(rpId, this.config.BASE_URL, this.outbound);
    return this.changes.commit(context, async (sql) => {
      const [row] = await sql.rows<OrganizationRow>(insert, [shortId, name, rpId]);
      if (!row)
        throw new AppError(
          'conflict',
          `There is already an organization "${shortId}"; a short ID is never used twice.`,
        );
      return {
        change: {
          type: 'organization.created',
          org: shortId,
          version: row.version,
          action: 'organization.create',
          changes: { name: { to: name }, ...(rpId !== undefined && { rpId: { to: rpId } }) },
        },
        reply: toOrganization(row),
      };
    });
  }
}
