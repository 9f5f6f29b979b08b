import { Inject, Injectable } from '@nestjs/common';
import { statement, type Sql } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { Changes, type Change } from '../changes/changes.js';
import { accessRequestTargets } from './access-request.js';

const batchSize = 50;

/** People are locked before their requests, as by every decision. Whoever is locked is skipped until the next run. */
const lockDue = statement(
  'access_requests_lock_due',
  `SELECT id FROM person WHERE id IN (
     SELECT person_id FROM access_request WHERE status = 'pending' AND expires_at <= $1
     ORDER BY expires_at LIMIT ${batchSize})
   ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
);
const expire = statement(
  'access_requests_expire_due',
  `UPDATE access_request SET status = 'expired', decided_at = $1 WHERE id IN (
     SELECT due.id FROM unnest($2::uuid[]) AS locked (person_id), LATERAL (
       SELECT r.id FROM access_request r JOIN person p ON p.org = r.org AND p.id = r.person_id
       WHERE p.id = locked.person_id AND r.status = 'pending' AND r.expires_at <= $1 OFFSET 0) due)
   RETURNING id, org, person_id AS person, client_id AS app`,
);
const bump = statement(
  'access_requests_bump_people',
  `UPDATE person p SET version = p.version + e.events FROM unnest($1::uuid[], $2::int[]) AS e (id, events)
   WHERE p.id = e.id RETURNING p.id, p.version - e.events AS version`,
);

interface Expired {
  id: string;
  org: string;
  person: string;
  app: string;
}

/** Closes requests that nobody decided in time. Nobody can decide them from that second on, whenever it runs. */
@Injectable()
export class ExpireAccessRequests {
  constructor(
    private readonly changes: Changes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'access_request_expirations',
    intervalMs: 1000,
    requiresAgreedClock: true,
    failure: 'Failed to close access requests that have expired. Nobody can decide them all the same',
  })
  async run(stopping: () => boolean): Promise<void> {
    while (!stopping() && (await this.changes.commitAll((sql) => this.batch(sql))) >= batchSize);
  }

  private async batch(sql: Sql) {
    const now = this.clock.now();
    const locked = await sql.rows<{ id: string }>(lockDue, [now]);
    if (locked.length === 0) return [];
    const byPerson = Map.groupBy(
      await sql.rows<Expired>(expire, [now, locked.map(({ id }) => id)]),
      ({ person }) => person,
    );
    const counts = [...byPerson.values()].map((rows) => rows.length);
    const before = await sql.rows<{ id: string; version: number }>(bump, [[...byPerson.keys()], counts]);
    return before.flatMap(({ id, version }) =>
      byPerson.get(id)!.map((row, i) => ({
        context: systemContext('directory'),
        change: expiredChange(row, version + 1 + i),
      })),
    );
  }
}

function expiredChange(row: Expired, version: number): Change {
  const { id, org, person, app } = row;
  const data = { accessRequest: id, user: person, app };
  return {
    org,
    events: [{ type: 'access_request.expired', user: person, app, version, data }],
    access: [],
    action: 'access_request.expire',
    targets: accessRequestTargets(row),
  };
}
