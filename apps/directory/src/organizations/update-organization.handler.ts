import { Controller, Inject } from '@nestjs/common';
import { updateOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Outbound, unprocessable } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { Organizations } from './organizations.js';
import { changedRpId, endedMove, relyingPartyIn } from './rp-ids.js';
import { requireUsableRpId } from './usable-rp-id.js';

/** Changes the RP ID of an organization. The revocation feed makes gateways and auth load it within a second. */
@Controller()
export class UpdateOrganizationHandler {
  constructor(
    private readonly organizations: Organizations,
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
    // Before the transaction: the request to another domain may take seconds, and would hold the lock meanwhile.
    if (typeof rpId === 'string') await requireUsableRpId(rpId, this.config.BASE_URL, this.outbound);
    return this.organizations.change(shortId, context, (organization) => {
      const from = relyingPartyIn(organization).relyingParty ?? {};
      Object.assign(
        organization,
        rpId === undefined ? endedMove(organization) : changedRpId(organization, rpId, keepEarlier),
      );
      const to = relyingPartyIn(organization).relyingParty ?? {};
      return { action: 'organization.update', changes: { relyingParty: { from, to } } };
    });
  }
}
