import { Injectable } from '@nestjs/common';
import { isCustomerEvent, streams, type CustomerEvent, type IssuanceEvent } from '@holdfast/contracts';
import { columns, Database, namedStatement } from '@holdfast/data';
import { Consumes } from '@holdfast/messaging';
import { customerKey } from '@holdfast/platform';
import { isClaimed } from './subject.js';

/**
 * Applies newer versions only: late, repeated and reordered events change nothing, and the row of an erased customer
 * stays a tombstone.
 */
const apply = namedStatement(
  'subject_apply',
  {
    events: columns<CustomerEvent>({
      key: ['bytea', (e) => customerKey(e.org, e.subject)],
      version: ['int', (e) => e.version],
      org: ['text', (e) => (e.state ? e.org : null)],
      app: ['text', (e) => e.state?.app],
      subject: ['uuid', (e) => (e.state ? e.subject : null)],
      created_at: ['timestamptz', (e) => e.state?.createdAt],
      claimed: ['boolean', (e) => (e.state ? isClaimed(e.state) : null)],
      state: ['json', (e) => (e.state ? JSON.stringify(e.state) : null)],
      erased_at: ['timestamptz', (e) => (e.state ? null : e.occurredAt)],
    }),
  },
  ({ events }) =>
    `INSERT INTO subject AS s (${events.names})
   SELECT * FROM ${events.unnest('e')}
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
    await this.database.rows(apply, apply.values({ events: rows }));
  }
}
