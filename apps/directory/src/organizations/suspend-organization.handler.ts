import { Controller } from '@nestjs/common';
import { suspendOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { Organizations } from './organizations.js';

/** While an organization is suspended, all of its apps are refused. Resuming it cancels its deletion. */
@Controller()
export class SuspendOrganizationHandler {
  constructor(private readonly organizations: Organizations) {}

  @Handles(suspendOrganization)
  handle(
    { shortId, suspended }: RequestOf<typeof suspendOrganization>,
    context: RequestContext,
  ): Promise<Organization> {
    return this.organizations.change(shortId, context, (organization) => {
      if (suspended) {
        const changes = { suspended: { from: organization.suspended, to: true } };
        organization.suspended = true;
        return { action: 'organization.suspend', changes };
      }
      if (organization.deleting)
        throw new AppError('conflict', `The deletion of ${shortId} has begun, so it cannot be resumed any more.`);
      const changes = {
        suspended: { from: organization.suspended, to: false },
        ...(organization.deletesAt && { deletesAt: { from: organization.deletesAt.toISOString(), to: null } }),
      };
      organization.suspended = false;
      organization.deletesAt = null;
      return { action: 'organization.resume', changes };
    });
  }
}
