import { Controller } from '@nestjs/common';
import { suspendOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Organizations } from './organizations.js';

/** While an organization is suspended, all of its apps are refused; resuming restores their access. */
@Controller()
export class SuspendOrganizationHandler {
  constructor(private readonly organizations: Organizations) {}

  @Handles(suspendOrganization)
  handle(
    { shortId, suspended }: RequestOf<typeof suspendOrganization>,
    context: RequestContext,
  ): Promise<Organization> {
    return this.organizations.change(shortId, context, (organization) => {
      const changes = { suspended: { from: organization.suspended, to: suspended } };
      organization.suspended = suspended;
      return { action: suspended ? 'organization.suspend' : 'organization.resume', changes };
    });
  }
}
