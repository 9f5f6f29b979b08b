import { Controller, Inject } from '@nestjs/common';
import { updateOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Outbound, unprocessable } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { addressesIn } from './organization.entity.js';
import { Organizations, type OrganizationChange } from './organizations.js';
import { changedRpId, endedMove, relyingPartyIn } from './rp-ids.js';
import { requireUsableRpId } from './usable-rp-id.js';

type Addresses = Pick<RequestOf<typeof updateOrganization>, 'startUrl' | 'helpUrl'>;

/**
 * Changes the RP ID of an organization, or its addresses for customers. The revocation feed makes gateways and auth
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
    { shortId, rpId, keepEarlier, endMove, ...addresses }: RequestOf<typeof updateOrganization>,
    context: RequestContext,
  ): Promise<Organization> {
    const given = [rpId !== undefined, endMove, Object.keys(addresses).length > 0].filter(Boolean);
    if (given.length !== 1)
      throw unprocessable([
        { pointer: '#', detail: 'give either a new RP ID, or the end of a move, or addresses for customers' },
      ]);
    if (rpId === undefined && !endMove) return this.changeAddresses(shortId, addresses, context);
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

  private changeAddresses(shortId: string, given: Addresses, context: RequestContext): Promise<Organization> {
    return this.organizations.change(shortId, context, (organization) => {
      const from = addressesIn(organization);
      Object.assign(organization, given);
      const to = addressesIn(organization);
      const changed = (Object.keys(given) as (keyof Addresses)[]).filter((member) => from[member] !== to[member]);
      const changes = changed.map((member) => [member, { from: from[member] ?? null, to: to[member] ?? null }]);
      return { action: 'organization.update', changes: Object.fromEntries(changes) as OrganizationChange['changes'] };
    });
  }
}
