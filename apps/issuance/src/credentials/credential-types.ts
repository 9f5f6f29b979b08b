import { AppError, unprocessable } from '@holdfast/kit';
import { Database, statement } from '@holdfast/data';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { firstType, type CredentialType } from './credential-type.js';
import { withoutNulls } from './without-nulls.js';

const columns = 'name, display, validity, renewal_window AS "renewalWindow", revocable, holders, is_default AS "isDefault"';
const ofOrganization = statement('types_of_org', `SELECT ${columns} FROM credential_type WHERE org = $1`);
const addFirst = statement(
  'types_add_first',
  `INSERT INTO credential_type (org, name, display, revocable, holders, is_default) VALUES ($1, $2, $3, $4, $5, true) ON CONFLICT DO NOTHING`,
);

/** The credential types of organizations, kept for a second: a changed type is in force everywhere after that. */
@Injectable()
export class CredentialTypes {
  private readonly kept = new LRUCache<string, CredentialType[]>({ max: 10_000, ttl: 1000 });

  constructor(private readonly database: Database) {}

  /** The named type, or the organization's default. `unknown_credential_type` when there is none of that name. */
  async find(org: string, name?: string): Promise<CredentialType> {
    const fits = (type: CredentialType) => (name === undefined ? type.isDefault : type.name === name);
    const known = this.kept.get(org)?.find(fits) ?? (await this.load(org)).find(fits);
    if (known) return known;
    if (name === undefined) throw unprocessable([{ pointer: '#/credentialType', detail: 'is needed: the organization has no default credential type' }]);
    throw new AppError('unknown_credential_type', `There is no credential type "${name}".`, { errors: [{ pointer: '#/credentialType', detail: 'is not a credential type of this organization' }] });
  }

  private async load(org: string): Promise<CredentialType[]> {
    let types = await this.stored(org);
    if (types.length === 0) {
      await this.database.rows(addFirst, [org, firstType.name, firstType.display, firstType.revocable, firstType.holders]);
      types = await this.stored(org);
    }
    this.kept.set(org, types);
    return types;
  }

  private async stored(org: string): Promise<CredentialType[]> {
    return (await this.database.rows<CredentialType>(ofOrganization, [org])).map(withoutNulls);
  }
}
