import { Controller } from '@nestjs/common';
import {
  makerRights,
  operationsOf,
  scopesOfKind,
  type AppKind,
  type ReplyOf,
  type RequestOf,
  type Role,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';

const ofApp = statement(
  'maker_rights_of_app',
  `SELECT a.kind, ARRAY(SELECT operation FROM app_grant g WHERE g.client_id = a.client_id) AS operations
   FROM app a JOIN organization o ON o.short_id = a.org
   WHERE a.client_id = $1 AND a.org = $2 AND NOT a.disabled AND a.deleted_at IS NULL AND NOT o.suspended`,
);
const ofPerson = statement(
  'maker_rights_of_person',
  `SELECT p.roles FROM person p JOIN organization o ON o.short_id = p.org
   WHERE p.id = $1 AND p.org = $2 AND p.status = 'active' AND NOT o.suspended`,
);

/** What an app or person may do now: one statement, without any cache. */
@Controller()
export class MakerRightsHandler {
  constructor(private readonly database: Database) {}

  @Handles(makerRights)
  async handle({ org, maker }: RequestOf<typeof makerRights>): Promise<ReplyOf<typeof makerRights>> {
    if (maker.type === 'app') {
      const [app] = await this.database.rows<{ kind: AppKind; operations: string[] }>(ofApp, [maker.id, org]);
      return { operations: app ? [...scopesOfKind(app.kind), ...app.operations] : [] };
    }
    const [person] = await this.database.rows<{ roles: Role[] }>(ofPerson, [maker.id, org]);
    return { operations: person ? operationsOf(person.roles) : [] };
  }
}
