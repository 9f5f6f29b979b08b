import { Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { Interval } from '@holdfast/service';
import { retention } from '../access/access-entries.js';

const batchSize = 1000;

/**
 * Removes the ids of people from entries of the revocation feed that affect no token any more. The entries stay, since
 * the newest one is the position of the feed.
 */
const forget = statement(
  'access_forget_people',
  `UPDATE access_change SET kind = 'organization', id = '' WHERE seq IN (
     SELECT seq FROM access_change WHERE kind = 'person' AND at < now() - ${retention}
     ORDER BY at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
   RETURNING 1`,
);

/** So no entry names a removed person for longer than a token of theirs could live. */
@Injectable()
export class ForgetPeople {
  constructor(private readonly database: Database) {}

  @Interval({
    name: 'access_changes_forget_people',
    intervalMs: 60_000,
    failure: 'Failed to remove the ids of people from old entries of the revocation feed',
  })
  async forget(): Promise<void> {
    while ((await this.database.rows(forget)).length === batchSize);
  }
}
