import { Controller } from '@nestjs/common';
import { updateCredentialType, type CredentialType, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { Organizations } from '../settings/organizations.js';
import { differences, Settings } from '../settings/settings.js';
import { withoutNulls } from '../without-nulls.js';
import { addFirstType, CredentialTypes, typeColumns } from './credential-types.js';
import { demoteOthers, lockTypes, settingOf } from './default-type.js';
import { requireTerms } from './terms.js';

const find = statement('type_find', `SELECT ${typeColumns} FROM credential_type WHERE org = $1 AND name = $2`);
const update = statement(
  'type_update',
  `UPDATE credential_type SET display = $3, validity = $4, renewal_window = $5, revocable = $6, holders = $7, is_default = $8, version = version + 1
   WHERE org = $1 AND name = $2 RETURNING version`,
);

@Controller()
export class UpdateCredentialTypeHandler {
  constructor(
    private readonly settings: Settings,
    private readonly types: CredentialTypes,
    private readonly organizations: Organizations,
  ) {}

  @Handles(updateCredentialType)
  async handle(wanted: RequestOf<typeof updateCredentialType>, context: RequestContext): Promise<CredentialType> {
    const { org } = context;
    await this.organizations.require(context);
    const reply = await this.settings.commit(context, async (sql) => {
      await lockTypes(sql, org);
      await addFirstType(sql, org);
      const before = await findType(sql, org, wanted.name);
      const after = changed(before, wanted);
      requireTerms(after);
      const demoted = after.isDefault ? await demoteOthers(sql, org, after.name) : [];
      const version = await write(sql, org, after);
      const targets = [{ type: 'credential_type' as const, id: after.name }];
      const updated = {
        type: 'credential_type.updated' as const,
        setting: settingOf(after.name),
        version,
        audited: { action: 'credential_type.update' as const, targets, changes: differences(before, after) },
      };
      return { changes: [updated, ...demoted], reply: after };
    });
    this.types.forget(org);
    return reply;
  }
}

/** What is given changes, null takes away, the rest stays. */
export function changed(
  before: CredentialType,
  { name: _, holders, ...wanted }: RequestOf<typeof updateCredentialType>,
): CredentialType {
  return withoutNulls({ ...before, ...wanted, ...(holders && { holders: [...new Set(holders)] }) }) as CredentialType;
}

async function findType(sql: Sql, org: string, name: string): Promise<CredentialType> {
  const [row] = await sql.rows<CredentialType>(find, [org, name]);
  if (!row) throw new AppError('unknown_credential_type', `${org} has no credential type "${name}".`);
  return withoutNulls(row);
}

async function write(
  sql: Sql,
  org: string,
  { name, display, validity, renewalWindow, revocable, holders, isDefault }: CredentialType,
): Promise<number> {
  const [row] = await sql.rows<{ version: number }>(update, [
    org,
    name,
    display,
    validity ?? null,
    renewalWindow ?? null,
    revocable,
    holders,
    isDefault,
  ]);
  return row!.version;
}
