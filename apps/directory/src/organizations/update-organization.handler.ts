import { Controller, Inject } from '@nestjs/common';
import { updateOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, Outbound, unprocessable } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { Changes } from '../changes/changes.js';
import type { Config } from '../config.js';
import { organizationColumns, toOrganization, type OrganizationRow } from './organization.entity.js';
import { changedRpId, endedMove, relyingPartyIn } from './rp-ids.js';
import { requireUsableRpId } from './usable-rp-id.js';

const lock = statement(
  'organization_lock',
  `SELECT ${organizationColumns} FROM organization WHERE short_id = $1 FOR UPDATE`,
);
const update = statement(
  'organization_update',
  `UPDATE organization SET rp_id = $2, moving = $3, earlier_rp_id = $4, version = version + 1 WHERE short_id = $1 RETURNING ${organizationColumns}`,
);

/** The RP ID of an organization. Gateways and auth hear of the change through the access feed, within a second. */
@Controller()
export class UpdateOrganizationHandler {
  constructor(
    private readonly changes: Changes,
    private readonly outbound: Outbound,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Handles(updateOrganization)
  async handle(
    { shortId, rpId, keepEarlier, endMove }: RequestOf<typeof updateOrganization>,
    context: RequestContext,
  ): Promise<Organization> {
    if ((rpId === undefined) === !endMove)
      throw unprocessable([{ pointer: '#/rpId', detail: 'give either a new RP ID or the end of a move' }]);
    // Before anything is locked: another domain may take its time.
    if (typeof rpId === 'string') await requireUsableRpId(rpId, this.config.BASE_URL, this.outbound);
    return this.changes.commit(context, async (sql) => {
      const [before] = await sql.rows<OrganizationRow>(lock, [shortId]);
      if (!before) throw new AppError('unknown_organization', `There is no organization "${shortId}".`);
      const after = rpId === undefined ? endedMove(before) : changedRpId(before, rpId, keepEarlier);
      const [row] = await sql.rows<OrganizationRow>(update, [shortId, after.rp_id, after.moving, after.earlier_rp_id]);
      const [from, to] = [before, after].map((ids) => relyingPartyIn(ids).relyingParty ?? {});
      return {
        change: {
          type: 'organization.updated',
          org: shortId,
          version: row!.version,
          action: 'organization.update',
          changes: { relyingParty: { from: from!, to: to! } },
        },
        reply: toOrganization(row!),
      };
    });
  }
}
