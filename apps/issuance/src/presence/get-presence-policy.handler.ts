import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { getPresencePolicy, type PresencePolicy, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { Organizations } from '../settings/organizations.js';
import { PresencePolicies } from './presence-policies.js';

@Controller()
export class GetPresencePolicyHandler {
  constructor(
    private readonly policies: PresencePolicies,
    private readonly organizations: Organizations,
    private readonly bus: Bus,
  ) {}

  @Handles(getPresencePolicy)
  async handle(_: RequestOf<typeof getPresencePolicy>, context: RequestContext): Promise<PresencePolicy> {
    await this.organizations.require(context);
    await recordReadOfOperator(this.bus, context, 'presence.read');
    return this.policies.get(context.org);
  }
}
