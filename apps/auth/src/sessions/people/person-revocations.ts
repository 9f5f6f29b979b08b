import { Injectable } from '@nestjs/common';
import { peopleWithAccess, personAccess, type DirectoryEvent, type RequestContext } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Bus, systemContext } from '@holdfast/messaging';
import { SessionRevocations } from '../session-revocations.js';
import { planOf, type AccessCheck } from './person-revocation.js';

/** The maximum of one query to directory. */
const batchSize = 1000;

/** A grant exists as long as a session or refresh token of it. */
const appsOf = statement(
  'people_apps_of_person',
  'SELECT DISTINCT client_id FROM oidc_state WHERE org = $1 AND account = $2 AND client_id IS NOT NULL',
);
const peopleAt = statement(
  'people_at_app',
  `SELECT DISTINCT account FROM oidc_state
   WHERE org = $1 AND model = 'Grant' AND client_id = $2 AND account > $3
   ORDER BY account LIMIT ${batchSize}`,
);
const lowestId = '00000000-0000-0000-0000-000000000000';

/**
 * Ends sessions, grants and tokens of people whose access has ended. Refusing them does not depend on it: auth queries
 * directory each time.
 */
@Injectable()
export class PersonRevocations {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
    private readonly revocations: SessionRevocations,
  ) {}

  /** A repeated or late event finds nothing more to revoke. @throws AppError `unavailable` */
  async apply(events: readonly DirectoryEvent[]): Promise<void> {
    const { revocations, checks } = planOf(events);
    await this.revocations.revoke(revocations);
    for (const check of checks) await this.check(check);
  }

  private check({ org, ...check }: AccessCheck): Promise<void> {
    return check.person === undefined
      ? this.checkApp(org, check.clientId)
      : this.checkPerson(org, check.person, check.clientId);
  }

  private async checkPerson(org: string, person: string, only: string | undefined): Promise<void> {
    const rows = await this.database.rows<{ client_id: string }>(appsOf, [org, person]);
    let since = 0;
    for (const { client_id: clientId } of rows) {
      if (only !== undefined && clientId !== only) continue;
      const access = await this.bus.request(personAccess, { person, clientId }, contextOf(org));
      if (access.state === 'assigned') since = Math.max(since, access.since);
      else await this.revocations.revokeAtApp(org, [person], clientId);
    }
    if (since > 0)
      await this.revocations.revoke([
        { org, subject: person, version: since, erased: false, at: new Date().toISOString() },
      ]);
  }

  /** Checks everybody who is signed in to the app. */
  private async checkApp(org: string, clientId: string): Promise<void> {
    for (let after = lowestId; ;) {
      const rows = await this.database.rows<{ account: string }>(peopleAt, [org, clientId, after]);
      if (rows.length === 0) return;
      const people = rows.map(({ account }) => account);
      const reply = await this.bus.request(peopleWithAccess, { clientId, people }, contextOf(org));
      const allowed = new Set(reply.people);
      await this.revocations.revokeAtApp(
        org,
        people.filter((person) => !allowed.has(person)),
        clientId,
      );
      after = people.at(-1)!;
    }
  }
}

function contextOf(org: string): RequestContext {
  return { ...systemContext('auth'), org };
}
