import { Inject, Injectable } from '@nestjs/common';
import { makerOf, type RequestContext } from '@holdfast/contracts';
import { namedStatement, rowOf, type Sql } from '@holdfast/data';
import { newId, newSecret, unprocessable } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';
import type { Person } from '../person.js';
import { PersonIndex } from '../personal-data/person-index.js';
import { closeLink } from './open-links.js';

const insert = namedStatement(
  'invitation_insert',
  {
    id: 'uuid',
    org: 'text',
    person_id: 'uuid',
    token_hash: 'bytea',
    replaces_passkeys: 'boolean',
    created_at: 'timestamptz',
    expires_at: 'timestamptz',
    issued_by_type: 'text',
    issued_by: 'uuid',
    person_roles: 'text[]',
  },
  (row) => `INSERT INTO invitation ${rowOf({ ...row, status: "'open'" })}`,
);

/** Links of invitations and recoveries. A person has one open link at most. */
@Injectable()
export class InvitationLinks {
  constructor(
    private readonly index: PersonIndex,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Issues a link in the transaction of a change, and supersedes the earlier one.
   * @returns the link, which is stored as a hash only @throws invalid_request
   */
  async issue(
    sql: Sql,
    person: Person,
    { actor }: Pick<RequestContext, 'actor'>,
    { now, expiresIn, recovery }: { now: Date; expiresIn: number | undefined; recovery: boolean },
  ): Promise<string> {
    const { org, id } = person;
    const token = newSecret();
    const expiresAt = new Date(now.getTime() + this.lifetime(expiresIn) * 1000);
    await closeLink(sql, person, 'superseded');
    const { type: issuerType, id: issuerId } = makerOf(actor);
    const issuer = issuerType === 'person' ? issuerId! : null;
    const values = insert.values({
      id: newId(),
      org,
      person_id: id,
      token_hash: this.index.linkHash(token),
      replaces_passkeys: recovery,
      created_at: now,
      expires_at: expiresAt,
      issued_by_type: issuerType,
      issued_by: issuer,
      person_roles: person.roles,
    });
    await sql.rows(insert, values);
    person.invitation = { expiresAt, recovery, issuerType, issuer };
    // In the fragment, so that no server log and no Referer ever contains it (product §2).
    return `${this.config.BASE_URL}/o/${org}/invitation#${token}`;
  }

  private lifetime(given?: number): number {
    const { INVITATION_MIN_SECONDS: min, INVITATION_MAX_SECONDS: max, INVITATION_DEFAULT_SECONDS: usual } = this.config;
    if (given === undefined) return usual;
    if (given < min || given > max)
      throw unprocessable([{ pointer: '#/expiresIn', detail: `must be between ${min} and ${max} seconds` }]);
    return given;
  }
}
