import { Controller } from '@nestjs/common';
import { createCredentialType, type CredentialType, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement, violatedUnique } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { Organizations } from '../settings/organizations.js';
import { differences, Settings } from '../settings/settings.js';
import { addFirstType, CredentialTypes } from './credential-types.js';
import { demoteOthers, lockTypes, settingOf } from './default-type.js';
import { requireTerms } from './terms.js';

const insert = statement(
  'type_insert',
  'INSERT INTO credential_type (org, name, display, validity, renewal_window, revocable, holders, is_default) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
);

@Controller()
export class CreateCredentialTypeHandler {
  constructor(
    private readonly settings: Settings,
    private readonly types: CredentialTypes,
    private readonly organizations: Organizations,
  ) {}

  @Handles(createCredentialType)
  async handle(input: RequestOf<typeof createCredentialType>, context: RequestContext): Promise<CredentialType> {
    const { org } = context;
    const { revocable = true, isDefault = false, holders = ['passkey', 'wallet'] } = input;
    const type: CredentialType = { ...input, revocable, holders: [...new Set(holders)], isDefault };
    requireTerms(type);
    await this.organizations.require(context);
    const reply = await this.settings.commit(context, async (sql) => {
      await lockTypes(sql, org);
      // The first type is made when it is first needed. It must not come after this one, as a second default.
      await addFirstType(sql, org);
      const demoted = isDefault ? await demoteOthers(sql, org, type.name) : [];
      await sql
        .rows(insert, [
          org,
          type.name,
          type.display,
          type.validity ?? null,
          type.renewalWindow ?? null,
          revocable,
          type.holders,
          isDefault,
        ])
        .catch((error: unknown) => {
          if (violatedUnique(error) !== 'credential_type_pkey') throw error;
          throw new AppError(
            'conflict',
            `${org} has a credential type "${type.name}" already; names are permanent, so change it or choose another name.`,
          );
        });
      const targets = [{ type: 'credential_type' as const, id: type.name }];
      const created = {
        type: 'credential_type.created' as const,
        setting: settingOf(type.name),
        version: 1,
        audited: { action: 'credential_type.create' as const, targets, changes: differences({}, type) },
      };
      return { changes: [created, ...demoted], reply: type };
    });
    this.types.forget(org);
    return reply;
  }
}
