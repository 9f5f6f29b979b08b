import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { listCredentialTypes, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { Organizations } from '../settings/organizations.js';
import { CredentialTypes } from './credential-types.js';

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
    context: RequestContext,
  ): Promise<ReplyOf<typeof listCredentialTypes>> {
    await this.organizations.require(context);
    await recordReadOfOperator(this.bus, context, 'credential_type.list');
    return { items: await this.types.list(context.org) };
  }
}
