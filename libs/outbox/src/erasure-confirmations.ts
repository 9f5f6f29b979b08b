import type { DomainEvent } from '@holdfast/contracts';
import { statement, type Database, type Statement } from '@holdfast/data';
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

/**
 * Emits the confirmation of each erasure (events on `subject`, `confirmedByProducer`) that every service has confirmed.
 */
export async function confirmErasures<Event extends DomainEvent>(
  database: Database,
  outbox: Outbox,
  subject: ErasureSubject,
  confirmationOf: (erasure: Event) => Event,
): Promise<void> {
  const rows = await database.transaction(async (sql) => {
    const confirmations = (
      await sql.rows<{ payload: string; shard: string | null }>(confirmedErasures(subject), [])
    ).map(({ payload, shard }) => outbox.row(confirmationOf(JSON.parse(payload) as Event), shard ?? undefined));
    if (confirmations.length > 0) await insertOutboxRows(sql, confirmations);
    return confirmations;
  });
  await outbox.published(rows);
}
