import { Controller } from '@nestjs/common';
import { createCredentialType, type CredentialType, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Organizations } from '../settings/organizations.js';
import { CredentialTypes } from './credential-types.js';
import { requireTerms } from './terms.js';

@Controller()
export class CreateCredentialTypeHandler {
  constructor(
    private readonly types: CredentialTypes,
    private readonly organizations: Organizations,
  ) {}

  @Handles(createCredentialType)
  async handle(input: RequestOf<typeof createCredentialType>, context: RequestContext): Promise<CredentialType> {
    const { revocable = true, isDefault = false, holders = ['passkey', 'wallet'] } = input;
    const type: CredentialType = { ...input, revocable, holders: [...new Set(holders)], isDefault };
    requireTerms(type);
    await this.organizations.require(context);
    return this.types.create(context, type);
  }
}
