import { Inject, Injectable } from '@nestjs/common';
import { statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { Changes } from '../changes/changes.js';
import { commitDue, dueBatchSize, type DueChanges } from '../changes/due-changes.js';
import { closedChange, type ClosedRequest } from './access-request.js';

const lockPeople = statement(
  'access_requests_lock_due',
  `SELECT id FROM person WHERE id IN (
     SELECT person_id FROM access_request WHERE status = 'pending' AND expires_at <= $1
     ORDER BY expires_at LIMIT ${dueBatchSize})
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

const expirations: DueChanges<ClosedRequest> = {
  lockPeople,
  end: expire,
  personOf: ({ person }) => person,
  changeOf: (row, version) => closedChange('expired', row, version),
};

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
    due: "(SELECT min(expires_at) FROM access_request WHERE status = 'pending') <= $1",
    requiresAgreedClock: true,
    failure: 'Failed to close access requests that have expired. Nobody can decide them all the same',
  })
  run(stopping: () => boolean): Promise<void> {
    return commitDue(this.changes, this.clock, expirations, stopping);
  }
}
