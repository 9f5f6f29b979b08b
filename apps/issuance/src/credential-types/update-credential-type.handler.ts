import { Controller } from '@nestjs/common';
import { updateCredentialType, type CredentialType, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Organizations } from '../settings/organizations.js';
import { withoutNulls } from '../without-nulls.js';
import { CredentialTypes } from './credential-types.js';
import { requireTerms } from './terms.js';

@Controller()
export class UpdateCredentialTypeHandler {
  constructor(
    private readonly types: CredentialTypes,
    private readonly organizations: Organizations,
  ) {}

  @Handles(updateCredentialType)
  async handle(wanted: RequestOf<typeof updateCredentialType>, context: RequestContext): Promise<CredentialType> {
    await this.organizations.require(context);
    return this.types.update(context, wanted.name, (before) => {
      const after = changed(before, wanted);
      requireTerms(after);
      return after;
    });
  }
}

/** A field of the request changes the type, null removes it, and a field that is absent stays as it is. */
export function changed(
  before: CredentialType,
  { name: _, holders, ...wanted }: RequestOf<typeof updateCredentialType>,
): CredentialType {
  return withoutNulls({ ...before, ...wanted, ...(holders && { holders: [...new Set(holders)] }) }) as CredentialType;
}
