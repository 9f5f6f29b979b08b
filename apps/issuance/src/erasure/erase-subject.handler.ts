import { Controller, Inject } from '@nestjs/common';
import { eraseSubject, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { insertOutboxRows, Outbox } from '@holdfast/outbox';
import { AppError, CLOCK, customerKey, type Clock } from '@holdfast/platform';
import { change } from '../customer/change.js';
import { eventsOf } from '../customer/customer-event.js';
import { lockCustomer } from '../customer/customer.repository.js';
import { Idempotency, type Remember } from '../idempotency/idempotency.js';

/** Credentials and offers go with the customer (ON DELETE CASCADE). */
const removeCustomer = statement('erase_customer', 'DELETE FROM subject WHERE id = $1');
/** Of a stored answer only the key's hash is left, so that a late retry cannot make the customer anew. */
const emptyAnswers = statement(
  'erase_answers',
  'UPDATE idempotency SET fingerprint = NULL, answer = NULL, subject = NULL WHERE subject = $1',
);
/**
 * Events that every consumer has, kept by replicas of earlier versions. Those still on their way go when they are
 * confirmed.
 */
const removeEvents = statement('erase_events', 'DELETE FROM outbox WHERE aggregate = $1 AND confirmed');
const enter = statement('erase_ledger', 'INSERT INTO erased (hash) VALUES ($1) ON CONFLICT DO NOTHING');

/** DELETE …/credentials/subjects/{subject} (specification §4.4): at the 204 truth and read model are gone. */
@Controller()
export class EraseSubjectHandler {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(eraseSubject)
  eraseSubject(
    request: RequestOf<typeof eraseSubject>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof eraseSubject>> {
    return this.idempotency.once(eraseSubject, request, context, (remember) => this.erase(request, context, remember));
  }

  private async erase(
    { subject }: RequestOf<typeof eraseSubject>,
    context: RequestContext,
    remember: Remember<object>,
  ): Promise<object> {
    const { org, actor } = context;
    const { row, version } = await this.database.transaction(async (sql) => {
      const customer = await lockCustomer(sql, subject, org, actor.id);
      if (!customer) throw new AppError('unknown_subject');
      const erased = change(customer, {}, { type: 'subject.erasure_started', data: undefined });
      const [event] = eventsOf(erased, context, this.clock.now(), {
        action: 'subject.erase',
        targets: [{ type: 'customer', id: subject, dataSubject: subject }],
        outcome: { result: 'success', status: 204 },
      });
      const row = this.outbox.row(event!);
      await sql.rows(removeCustomer, [subject]);
      await sql.rows(emptyAnswers, [subject]);
      await sql.rows(removeEvents, [subject]);
      await sql.rows(enter, [customerKey(org, subject)]);
      await insertOutboxRows(sql, [row]);
      // After the answers were emptied, and without the customer: what is kept says that an erasure was answered, and
      // not whose.
      await remember(sql, { answer: {}, event: row.id, version: erased.customer.version });
      return { row, version: erased.customer.version };
    });
    await this.outbox.published([row], { org, aggregate: customerKey(org, subject), version });
    return {};
  }
}
