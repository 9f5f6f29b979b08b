import { listCredentialTypes, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/bus';
import { Controller } from '@nestjs/common';
import { CredentialTypes } from '../credentials/credential-types.js';
import { Organizations } from '../settings/organizations.js';

@Controller()
export class ListCredentialTypesHandler {
  constructor(
    private readonly types: CredentialTypes,
    private readonly organizations: Organizations,
  ) {}

  @Handles(listCredentialTypes)
  async handle(_: RequestOf<typeof listCredentialTypes>, context: CallContext): Promise<ReplyOf<typeof listCredentialTypes>> {
    await this.organizations.require(context);
    return { items: await this.types.all(context.org) };
  }
}
