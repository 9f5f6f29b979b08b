import { Controller } from '@nestjs/common';
import { setPresencePolicy, type PresencePolicy, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Organizations } from '../settings/organizations.js';
import { PresencePolicies } from './presence-policies.js';

@Controller()
export class SetPresencePolicyHandler {
  constructor(
    private readonly policies: PresencePolicies,
    private readonly organizations: Organizations,
  ) {}

  @Handles(setPresencePolicy)
  async handle(wanted: RequestOf<typeof setPresencePolicy>, context: RequestContext): Promise<PresencePolicy> {
    await this.organizations.require(context);
    return this.policies.set(context, wanted);
  }
}
