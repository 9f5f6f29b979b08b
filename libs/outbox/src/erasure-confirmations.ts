import type { DomainEvent } from '@holdfast/contracts';
import { statement, type Database, type Statement } from '@holdfast/data';
import { newId, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { insertOutboxRows, type Outbox } from './outbox.js';

/**
 * Deletes the erasures that every service has confirmed, after all other events of the customer or person. Of two
 * replicas one deletes the row, and emits the erasure confirmation.
 */
function confirmedErasures(subject: string): Statement {
  // The subject is no parameter: the partial index of these rows has it as a constant.
  return statement(
    'erasures_confirmed',
    `DELETE FROM outbox e WHERE subject = '${subject}' AND confirmed
       AND NOT EXISTS (SELECT FROM outbox o WHERE o.aggregate = e.aggregate AND NOT o.confirmed)
     RETURNING payload, shard`,
  );
}

/** The subject of the events of erasure that a producer confirms itself. */
type ErasureSubject = 'evt.issuance.subject.erasure_started' | 'evt.directory.user.erasure_started';

/** The members of a confirmation that the producer chooses. */
type Chosen<Event extends DomainEvent> = Omit<
  Event,
  'id' | 'occurredAt' | 'org' | 'version' | 'requestId' | 'traceparent'
>;

/**
 * Emits the confirmation of each erasure (events on `subject`, `confirmedByProducer`) that every service has confirmed.
 * A service that erases declares its confirmations in a subclass, which is a provider.
 */
export abstract class ErasureConfirmations<Event extends DomainEvent> {
  protected constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly subject: ErasureSubject,
    private readonly confirmationOf: (erasure: Event) => Chosen<Event>,
  ) {}

  @Interval({
    name: 'erasure_confirmations',
    intervalMs: 1000,
    due: '(SELECT min(created_at) FROM outbox WHERE confirmed) IS NOT NULL',
    failure: 'Failed to emit erasure confirmations. What they confirm is erased already',
  })
  async emit(): Promise<void> {
    const rows = await this.database.transaction(async (sql) => {
      const erasures = await sql.rows<{ payload: string; shard: string | null }>(confirmedErasures(this.subject), []);
      const confirmations = erasures.map(({ payload, shard }) =>
        this.outbox.row(this.confirmation(JSON.parse(payload) as Event), shard ?? undefined),
      );
      if (confirmations.length > 0) await insertOutboxRows(sql, confirmations);
      return confirmations;
    });
    await this.outbox.published(rows);
  }

  /** It has the version of the erasure, since it changes nothing. */
  private confirmation(erasure: Event): Event {
    const { org, version, requestId, traceparent } = erasure;
    const occurredAt = this.clock.now().toISOString();
    return { id: newId(), occurredAt, org, version, requestId, traceparent, ...this.confirmationOf(erasure) } as Event;
  }
}
