import { Controller, Inject } from '@nestjs/common';
import { deleteOrganization, type Organization, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError, CLOCK, mayExpire, unavailable, type Clock } from '@holdfast/platform';
import type { OrganizationEntity } from './organization.entity.js';
import { Organizations, type OrganizationChange } from './organizations.js';

/** The steps of a deletion that directory decides. `holdfast org purge` deletes the rows of all services. */
@Controller()
export class DeleteOrganizationHandler {
  constructor(
    private readonly organizations: Organizations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(deleteOrganization)
  handle(request: RequestOf<typeof deleteOrganization>, context: RequestContext): Promise<Organization> {
    return this.organizations.change(request.shortId, context, (organization) => {
      requireChangeable(organization);
      return request.step === 'schedule' ? this.schedule(organization, request.graceSeconds) : this.begin(organization);
    });
  }

  private schedule(organization: OrganizationEntity, graceSeconds: number): OrganizationChange {
    const { suspended, deletesAt } = organization;
    organization.suspended = true;
    organization.deletesAt = new Date(this.clock.now().getTime() + graceSeconds * 1000);
    const to = organization.deletesAt.toISOString();
    return {
      action: 'organization.delete',
      changes: {
        suspended: { from: suspended, to: true },
        deletesAt: { ...(deletesAt && { from: deletesAt.toISOString() }), to },
      },
    };
  }

  private begin(organization: OrganizationEntity): OrganizationChange {
    const { shortId, deletesAt } = organization;
    if (deletesAt === null)
      throw new AppError('conflict', `Nobody has decided to delete ${shortId}: holdfast org delete ${shortId} --yes`);
    if (!mayExpire(this.clock))
      throw unavailable('The clocks of this machine and of NATS differ, so that nothing is deleted by time', 5);
    if (deletesAt > this.clock.now())
      throw new AppError('conflict', `${shortId} must not be deleted before ${deletesAt.toISOString()}.`);
    organization.deleting = true;
    return { action: 'organization.delete_begin', changes: { deletesAt: { to: deletesAt.toISOString() } } };
  }
}

function requireChangeable({ shortId, moveId, moveTo, deleting }: OrganizationEntity): void {
  if (moveId !== null)
    throw new AppError('conflict', `${shortId} is being moved to ${moveTo}. Complete or cancel that move first.`);
  if (deleting) throw new AppError('conflict', `The deletion of ${shortId} has begun already.`);
}
