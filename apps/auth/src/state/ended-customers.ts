import { isCustomerEvent, type CustomerEvent, type IssuanceEvent } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { customerKey } from '@holdfast/kit';
import { Injectable } from '@nestjs/common';

/** First the mark, so that a write which comes later is refused; then what is there. */
const mark = statement(
  'customer_end',
  `INSERT INTO ended_customer AS e (key, at, erased) SELECT * FROM unnest($1::bytea[], $2::timestamptz[], $3::boolean[]) ORDER BY 1
   ON CONFLICT (key) DO UPDATE SET at = greatest(e.at, excluded.at), erased = e.erased OR excluded.erased`,
);
const remove = statement(
  'customer_state_remove',
  `DELETE FROM oidc_state s USING unnest($1::text[], $2::uuid[], $3::timestamptz[], $4::boolean[]) AS c(org, account, at, erased)
   WHERE s.org = c.org AND s.account = c.account AND (c.erased OR s.since < date_trunc('second', c.at))`,
);
/** No session, grant or token lives as long. */
const forget = statement('customer_end_forget', `DELETE FROM ended_customer WHERE at < $1::timestamptz - interval '62 days'`);

/** Ends what a customer had when they are erased, or when another key takes the place of theirs (recovery). */
@Injectable()
export class EndedCustomers {
  constructor(private readonly database: Database) {}

  async apply(events: readonly IssuanceEvent[]): Promise<void> {
    const ending = newest(events.filter(isCustomerEvent).filter(({ type }) => type === 'subject.erased' || type === 'credential.rekeyed'));
    if (ending.length === 0) return;
    const times = ending.map((e) => e.occurredAt);
    const erased = ending.map((e) => e.type === 'subject.erased');
    await this.database.rows(mark, [ending.map((e) => customerKey(e.org, e.subject)), times, erased]);
    await this.database.rows(remove, [ending.map((e) => e.org), ending.map((e) => e.subject), times, erased]);
  }

  async forgetOld(): Promise<void> {
    await this.database.rows(forget, [new Date()]);
  }
}

/** One statement can touch a row once. */
function newest(events: readonly CustomerEvent[]): CustomerEvent[] {
  const last = new Map<string, CustomerEvent>();
  for (const event of events) {
    const key = `${event.org}/${event.subject}`;
    if ((last.get(key)?.version ?? -1) < event.version) last.set(key, event);
  }
  return [...last.values()];
}
