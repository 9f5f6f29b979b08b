import { Inject, Injectable } from '@nestjs/common';
import type { Role } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import type { PersonStatus } from '../people/person.js';
import type { SealedPerson } from '../people/personal-data/personal-data.js';
import { mayUse } from './may-use.js';

export interface PersonAccessRow extends SealedPerson {
  status: PersonStatus;
  roles: Role[];
  version: number;
  since: number;
  groups: string[];
  mayUse: boolean;
}

export const personAccessStatement = statement(
  'person_access',
  `SELECT p.id, p.org, p.personal_data AS "personalData", p.personal_data_key AS "personalDataKey",
     p.status, p.roles, p.version, p.sign_ins_since_version AS since,
     coalesce(${mayUse('$4')}, false) AS "mayUse",
     ARRAY(SELECT g.name FROM (SELECT group_id FROM group_member WHERE org = $1 AND person_id = $2 OFFSET 0) m,
       LATERAL (SELECT name FROM person_group WHERE org = $1 AND id = m.group_id AND deleted_at IS NULL OFFSET 0) g)
       AS groups
   FROM person p LEFT JOIN app a ON a.org = p.org AND a.client_id = $3
   WHERE p.org = $1 AND p.id = $2`,
);
export const peopleWithAccessStatement = statement(
  'people_with_access',
  `SELECT p.id FROM unnest($3::uuid[]) AS listed (id),
     LATERAL (SELECT * FROM person WHERE org = $1 AND id = listed.id OFFSET 0) p,
     LATERAL (SELECT * FROM app WHERE org = $1 AND client_id = $2 OFFSET 0) a
   WHERE ${mayUse('$4')}`,
);

/** Who may use an app now, by the rule of may-use.ts. */
@Injectable()
export class PersonAccess {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** One person and one app; undefined for a person whom the organization does not have. */
  async find(org: string, person: string, clientId: string): Promise<PersonAccessRow | undefined> {
    const values = [org, person, clientId, this.clock.now()];
    const [row] = await this.database.rows<PersonAccessRow>(personAccessStatement, values);
    return row && { ...row, groups: row.groups.sort() };
  }

  /** Whether they may use the app: the last check of a sign-in. */
  async mayUse(org: string, person: string, clientId: string): Promise<boolean> {
    return (await this.among(org, clientId, [person])).length > 0;
  }

  /** Those of the people who may use the app. */
  async among(org: string, clientId: string, people: readonly string[]): Promise<string[]> {
    const rows = await this.database.rows<{ id: string }>(peopleWithAccessStatement, [
      org,
      clientId,
      people,
      this.clock.now(),
    ]);
    return rows.map(({ id }) => id);
  }
}
