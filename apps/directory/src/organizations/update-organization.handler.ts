import { Controller, Inject } from '@nestjs/common';
import { updateOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Outbound, unprocessable } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { givenBranding } from '../branding/given-branding.js';
import type { Config } from '../config.js';
import { changeBranding } from './branding.js';
import { Organizations } from './organizations.js';
import { changedRpId, changeRpIds, endedMove } from './rp-ids.js';
import { requireUsableRpId } from './usable-rp-id.js';

/**
 * Changes the RP ID of an organization, or its name and what pages show. The revocation feed makes gateways and auth
 * load it within a second.
 */
@Controller()
export class UpdateOrganizationHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly outbound: Outbound,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Handles(updateOrganization)
  async handle(
    { shortId, rpId, keepEarlier, endMove, ...branding }: RequestOf<typeof updateOrganization>,
    context: RequestContext,
  ): Promise<Organization> {
    const given = [rpId !== undefined, endMove, Object.keys(branding).length > 0].filter(Boolean);
    if (given.length !== 1)
      throw unprocessable([
        { pointer: '#', detail: 'give either a new RP ID, or the end of a move, or what pages show' },
      ]);
    if (rpId === undefined && !endMove) {
      const given = givenBranding(branding);
      return this.organizations.change(shortId, context, (organization, sql) =>
        changeBranding(organization, given, sql),
      );
    }
    // Before the transaction: the request to another domain may take seconds, and would hold the lock meanwhile.
    if (typeof rpId === 'string') await requireUsableRpId(rpId, this.config.BASE_URL, this.outbound);
    return this.organizations.change(shortId, context, (organization) =>
      changeRpIds(
        organization,
        rpId === undefined ? endedMove(organization) : changedRpId(organization, rpId, keepEarlier),
      ),
    );
  }
}
