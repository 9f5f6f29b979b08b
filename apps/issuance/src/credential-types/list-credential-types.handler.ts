import { Controller } from '@nestjs/common';
import { Bus, Handles, recordOperator } from '@holdfast/bus';
import { listCredentialTypes, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { CredentialTypes } from '../credentials/credential-types.js';
import { Organizations } from '../settings/organizations.js';

@Controller()
export class ListCredentialTypesHandler {
  constructor(
    private readonly types: CredentialTypes,
    private readonly organizations: Organizations,
    private readonly bus: Bus,
  ) {}

  @Handles(listCredentialTypes)
  async handle(
    _: RequestOf<typeof listCredentialTypes>,
    context: CallContext,
  ): Promise<ReplyOf<typeof listCredentialTypes>> {
    await this.organizations.require(context);
    await recordOperator(this.bus, context, 'credential_type.list');
    return { items: await this.types.all(context.org) };
  }
}
