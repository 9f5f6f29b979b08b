import { Controller, Inject } from '@nestjs/common';
import { customerStatus, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { claimColumns, claimOf, isLive, signInsSince, type ClaimRow } from './live-credential.js';

const status = statement(
  'customer_status',
  `SELECT ${claimColumns}, ${signInsSince} AS since
   FROM subject s LEFT JOIN credential c ON c.subject = s.id AND ${isLive} WHERE s.id = $4 AND s.org = $1`,
);

/** Auth sends this query before it issues anything for a customer. One statement, since every refresh waits for it. */
@Controller()
export class CustomerStatusHandler {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(customerStatus)
  async customerStatus(
    { subject, credentialType }: RequestOf<typeof customerStatus>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof customerStatus>> {
    const [row] = await this.database.rows<ClaimRow & { since: number }>(status, [
      org,
      this.clock.now(),
      credentialType ?? null,
      subject,
    ]);
    if (!row) return { state: 'unknown' };
    const credential = claimOf(row);
    return credential ? { state: 'live', credential, since: row.since } : { state: 'not_live' };
  }
}
