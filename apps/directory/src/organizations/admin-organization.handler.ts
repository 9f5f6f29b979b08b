import { Controller } from '@nestjs/common';
import {
  adminGetOrganization,
  adminUpdateOrganization,
  type OwnOrganization,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import { givenBranding } from '../branding/given-branding.js';
import { changeBranding } from './branding.js';
import { toOwnOrganization } from './organization.entity.js';
import { Organizations } from './organizations.js';

/** GET and PATCH …/admin/organization: the organization of the caller. */
@Controller()
export class AdminOrganizationHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminGetOrganization)
  async get(_: RequestOf<typeof adminGetOrganization>, { org }: RequestContext): Promise<OwnOrganization> {
    return toOwnOrganization(await this.organizations.find(org));
  }

  @Handles(adminUpdateOrganization)
  update(
    request: RequestOf<typeof adminUpdateOrganization>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof adminUpdateOrganization>> {
    return this.idempotency.once(adminUpdateOrganization, request, context, (keyed) => {
      const given = givenBranding(request.changes);
      return this.organizations.changeWith(
        context.org,
        context,
        (organization, sql) => {
          const { ifVersions } = request;
          if (ifVersions && !ifVersions.includes(organization.version))
            throw new AppError('precondition_failed', `The organization has version ${organization.version} now.`);
          return changeBranding(organization, given, sql);
        },
        (organization) => ({ organization: toOwnOrganization(organization) }),
        keyed,
      );
    });
  }
}
