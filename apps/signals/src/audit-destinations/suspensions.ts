import { Injectable } from '@nestjs/common';
import type { DomainEvent } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';

/** By the version of the organization, since events may arrive again, and later than newer ones. */
const suspend = statement(
  'audit_destination_suspend',
  `UPDATE audit_destination d SET suspended = s.suspended, suspended_version = s.version, retry_at = NULL
     FROM unnest($1::text[], $2::boolean[], $3::int[]) AS s(org, suspended, version)
    WHERE d.org = s.org AND d.suspended_version < s.version`,
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
    await this.database.rows(suspend, [
      [...changes.keys()],
      states.map(({ suspended }) => suspended),
      states.map(({ version }) => version),
    ]);
  }
}
