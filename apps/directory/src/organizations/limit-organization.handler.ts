import { Controller } from '@nestjs/common';
import { limitOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Organizations } from './organizations.js';
import { changedRateLimits } from './rate-limits.js';

/** Sets quotas of every app of an organization that has none of its own. */
@Controller()
export class LimitOrganizationHandler {
  constructor(private readonly organizations: Organizations) {}

  @Handles(limitOrganization)
  handle({ shortId, rateLimits }: RequestOf<typeof limitOrganization>, context: RequestContext): Promise<Organization> {
    return this.organizations.change(shortId, context, (organization) => {
      const from = organization.rateLimits;
      organization.rateLimits = changedRateLimits(from, rateLimits);
      const changes = { rateLimits: { from: from ?? {}, to: organization.rateLimits ?? {} } };
      return { action: 'organization.update', changes };
    });
  }
}
