import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import { allOrganizations, type EventData } from '@holdfast/contracts';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { auditRecord, CLOCK, customerKey, newId, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { destinationTarget } from '../audit-destinations/destination.js';
import { Feed } from '../feed/feed.js';

/** Shorter failures are of no interest to the organization: they repair themselves. */
const longMs = 3_600_000;
const batchSize = 100;

interface Failing {
  id: string;
  org: string;
  event: string;
  since: Date;
  number: number;
  detail: string | null;
}

const due = statement(
  'audit_destination_failing',
  `SELECT id, org, failure_event AS event, failing_since AS since, failures_recorded + 1 AS number, last_error AS detail
   FROM audit_destination d
   WHERE failing_since <= $1 AND NOT failure_recorded AND NOT paused AND NOT suspended AND org <> '${allOrganizations}'
     AND ${isNotFenced('d.org')} ORDER BY failing_since LIMIT ${batchSize}`,
);
const recorded = statement(
  'audit_destination_failure_recorded',
  `UPDATE audit_destination SET failure_recorded = true, failures_recorded = failures_recorded + 1
    WHERE id = $1 AND failure_event = $2 AND NOT failure_recorded RETURNING id`,
);

/** Tells an organization that a receiver of its log has failed for long: by an event of its feed, and in its log. */
@Injectable()
export class FailingDestinations {
  constructor(
    private readonly database: Database,
    private readonly feed: Feed,
    private readonly records: RecordOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'failing_destinations',
    intervalMs: 60_000,
    failure: 'Failed to report to organizations which destinations of their logs fail. It is repeated',
  })
  async announce(): Promise<void> {
    const until = new Date(this.clock.now().getTime() - longMs);
    for (const failing of await this.database.rows<Failing>(due, [until])) await this.announceOne(failing);
  }

  /** The event first: it is appended once, however often this is repeated until the record is committed. */
  private async announceOne({ id, org, event, since, number, detail }: Failing): Promise<void> {
    const now = this.clock.now();
    const type = 'audit.destination.failing';
    const data: EventData<typeof type> = { destination: id, failingSince: since.toISOString() };
    const key = customerKey(org, id).toString('hex');
    const about = { id: event, org, key, type, version: number, occurredAt: now, receivedAt: now };
    await this.feed.append([{ ...about, erases: false, data }]);
    const record = auditRecord({ ...systemContext('signals'), auditId: newId() }, now, {
      action: 'audit_destination.fail',
      targets: [destinationTarget(id)],
      outcome: { result: 'failure' },
      changes: { failingSince: { to: data.failingSince }, ...(detail !== null && { lastError: { to: detail } }) },
    });
    const isWritten = await this.database.transaction(async (sql) => {
      const [row] = await sql.rows(recorded, [id, event]);
      if (row) await this.records.add(sql, org, record);
      return row !== undefined;
    });
    if (isWritten) await this.records.append(org, record);
  }
}
