import { Injectable } from '@nestjs/common';
import { isCustomerEvent, streams, type CustomerEvent, type IssuanceEvent } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Consumes } from '@holdfast/messaging';
import { customerKey } from '@holdfast/platform';
import { isClaimed } from './subject.js';

/**
 * Applies newer versions only: late, repeated and reordered events change nothing, and the row of an erased customer
 * stays a tombstone.
 */
const apply = statement(
  'subject_apply',
  `INSERT INTO subject AS s (key, version, org, app, subject, created_at, claimed, state, erased_at)
   SELECT key, version, org, app, subject, created_at, claimed, state::json, erased_at
   FROM unnest($1::bytea[], $2::int[], $3::text[], $4::text[], $5::uuid[], $6::timestamptz[], $7::boolean[], $8::text[],
               $9::timestamptz[])
     AS e(key, version, org, app, subject, created_at, claimed, state, erased_at)
   ORDER BY key
   ON CONFLICT (key) DO UPDATE SET version = excluded.version, org = excluded.org, app = excluded.app,
     subject = excluded.subject, created_at = excluded.created_at, claimed = excluded.claimed, state = excluded.state,
     erased_at = excluded.erased_at
   WHERE s.version < excluded.version AND s.erased_at IS NULL`,
);

/**
 * The newest event of each customer in a batch, since one statement can change a row once. An erasure wins over every
 * version.
 */
export function newestPerSubject(events: CustomerEvent[]): CustomerEvent[] {
  const newest = new Map<string, CustomerEvent>();
  for (const event of events) {
    const before = newest.get(event.subject);
    if (!before || (before.state && (!event.state || before.version < event.version))) newest.set(event.subject, event);
  }
  return [...newest.values()];
}

@Injectable()
export class SubjectProjection {
  constructor(private readonly database: Database) {}

  @Consumes(streams.issuance)
  async apply(events: IssuanceEvent[]): Promise<void> {
    const rows = newestPerSubject(events.filter(isCustomerEvent));
    if (rows.length === 0) return;
    await this.database.rows(apply, [
      rows.map((e) => customerKey(e.org, e.subject)),
      rows.map((e) => e.version),
      rows.map((e) => (e.state ? e.org : null)),
      rows.map((e) => e.state?.app ?? null),
      rows.map((e) => (e.state ? e.subject : null)),
      rows.map((e) => e.state?.createdAt ?? null),
      rows.map((e) => (e.state ? isClaimed(e.state) : null)),
      rows.map((e) => (e.state ? JSON.stringify(e.state) : null)),
      rows.map((e) => (e.state ? null : e.occurredAt)),
    ]);
  }
}
