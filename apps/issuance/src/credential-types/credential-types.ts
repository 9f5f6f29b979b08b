import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database, statement, type Sql } from '@holdfast/data';
import { AppError, unprocessable } from '@holdfast/platform';
import { withoutNulls } from '../without-nulls.js';
import { firstType, type CredentialType } from './credential-type.js';

export const typeColumns =
  'name, display, validity, renewal_window AS "renewalWindow", revocable, holders, is_default AS "isDefault"';
const ofOrganization = statement(
  'types_of_org',
  `SELECT ${typeColumns} FROM credential_type WHERE org = $1 ORDER BY created_at, name`,
);
const addFirst = statement(
  'types_add_first',
  `INSERT INTO credential_type (org, name, display, revocable, holders, is_default) VALUES ($1, $2, $3, $4, $5, true) ON CONFLICT DO NOTHING`,
);

/** Below a second, so that a changed type is in force everywhere within one. */
const ttlMs = 900;

/**
 * The credential types of organizations, kept in memory for just so long that a change is in force everywhere in a
 * second.
 */
@Injectable()
export class CredentialTypes {
  private readonly kept = new LRUCache<string, CredentialType[]>({ max: 10_000, ttl: ttlMs });

  constructor(private readonly database: Database) {}

  /** The named type, or the organization's default. `unknown_credential_type` when there is none of that name. */
  async find(org: string, name?: string): Promise<CredentialType> {
    const fits = (type: CredentialType) => (name === undefined ? type.isDefault : type.name === name);
    const known = this.kept.get(org)?.find(fits) ?? (await this.load(org)).find(fits);
    if (known) return known;
    if (name === undefined)
      throw unprocessable([
        { pointer: '#/credentialType', detail: 'is needed: the organization has no default credential type' },
      ]);
    throw new AppError('unknown_credential_type', `There is no credential type "${name}".`, {
      errors: [{ pointer: '#/credentialType', detail: 'is not a credential type of this organization' }],
    });
  }

  /** All of them, the oldest first; as they are stored, not as they are kept. */
  all(org: string): Promise<CredentialType[]> {
    return this.load(org);
  }

  /** This replica has just changed them. */
  forget(org: string): void {
    this.kept.delete(org);
  }

  private async load(org: string): Promise<CredentialType[]> {
    let types = await stored(this.database, org);
    if (types.length === 0) {
      await addFirstType(this.database, org);
      types = await stored(this.database, org);
    }
    this.kept.set(org, types);
    return types;
  }
}

/** Every organization starts with one type (product §5). Nothing happens where there is one. */
export async function addFirstType(sql: Sql, org: string): Promise<void> {
  await sql.rows(addFirst, [org, firstType.name, firstType.display, firstType.revocable, firstType.holders]);
}

async function stored(sql: Sql, org: string): Promise<CredentialType[]> {
  return (await sql.rows<CredentialType>(ofOrganization, [org])).map(withoutNulls);
}
