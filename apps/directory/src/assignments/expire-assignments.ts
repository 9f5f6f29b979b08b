import { Inject, Injectable } from '@nestjs/common';
import { statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { Changes } from '../changes/changes.js';
import { commitDue, dueBatchSize, type DueChanges } from '../changes/due-changes.js';
import { assignmentColumns, endedChange, type AssignmentRow } from './assignment.js';

const lockPeople = statement(
  'assignments_lock_due',
  `SELECT id FROM person WHERE id IN (
     SELECT person_id FROM assignment WHERE expires_at <= $1 AND person_id IS NOT NULL
     ORDER BY expires_at LIMIT ${dueBatchSize})
   ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`,
);
const end = statement(
  'assignments_end_due',
  `DELETE FROM assignment WHERE id IN (
     SELECT due.id FROM unnest($2::uuid[]) AS locked (person_id), LATERAL (
       SELECT a.id FROM assignment a JOIN person p ON p.org = a.org AND p.id = a.person_id
       WHERE p.id = locked.person_id AND a.expires_at <= $1 OFFSET 0) due)
   RETURNING org, ${assignmentColumns}`,
);

type Ended = AssignmentRow & { org: string; user: string };

const expirations: DueChanges<Ended> = {
  lockPeople,
  end,
  personOf: ({ user }) => user,
  changeOf: (row, version) => endedChange(row, row, version, 'expired'),
};

/**
 * Deletes assignments that have expired, and emits their end. Nothing else depends on it: from the second of its expiry
 * an assignment does not count.
 */
@Injectable()
export class ExpireAssignments {
  constructor(
    private readonly changes: Changes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'assignment_expirations',
    intervalMs: 1000,
    due: '(SELECT min(expires_at) FROM assignment WHERE expires_at IS NOT NULL) <= $1',
    requiresAgreedClock: true,
    failure: 'Failed to end assignments that have expired. They no longer count all the same',
  })
  run(stopping: () => boolean): Promise<void> {
    return commitDue(this.changes, this.clock, expirations, stopping);
  }
}
