import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';

/** By the version of the organization, since events may arrive again, and later than newer ones. */
const remember = statement(
  'audit_suspension_remember',
  `INSERT INTO audit_suspension AS s (org, suspended, version)
   SELECT * FROM unnest($1::text[], $2::boolean[], $3::int[]) AS e(org, suspended, version) ORDER BY org
   ON CONFLICT (org) DO UPDATE SET suspended = excluded.suspended, version = excluded.version
     WHERE s.version < excluded.version`,
);
/** A statement of its own, so that it sees destinations whose creation the one above has waited for. */
const suspend = statement(
  'audit_destination_suspend',
  `UPDATE audit_destination d SET suspended = s.suspended, suspended_version = s.version, retry_at = NULL
     FROM audit_suspension s WHERE s.org = ANY ($1) AND d.org = s.org AND d.suspended_version < s.version`,
);
/** Also when there is no row yet: a first suspension must wait as well. */
const lock = statement(
  'audit_suspension_lock',
  `INSERT INTO audit_suspension (org) VALUES ($1) ON CONFLICT (org) DO UPDATE SET org = excluded.org`,
);

/** Nothing is sent to the destinations of an organization while it is suspended. Those of the operator get its log. */
@Injectable()
export class Suspensions {
  constructor(private readonly database: Database) {}

  async apply(events: readonly DomainEvent[]): Promise<void> {
    const changes = new Map(
      events.flatMap(({ org, audit, version }) =>
        audit?.action === 'organization.suspend' || audit?.action === 'organization.resume'
          ? [[org, { suspended: audit.action === 'organization.suspend', version }] as const]
          : [],
      ),
    );
    if (changes.size === 0) return;
    const states = [...changes.values()];
    const orgs = [...changes.keys()];
    const values = [orgs, states.map(({ suspended }) => suspended), states.map(({ version }) => version)];
    await this.database.transaction(async (sql) => {
      await sql.rows(remember, values);
      await sql.rows(suspend, [orgs]);
    });
  }

  /** Until the commit of a new destination, which copies the state, a change of the state waits. */
  async hold(sql: Sql, org: string): Promise<void> {
    await sql.rows(lock, [org]);
  }
}
