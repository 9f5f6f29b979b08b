import { Controller, Inject } from '@nestjs/common';
import { customerStatus, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { passkeyIdInSql } from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { claimColumns, claimOf, isLive, signInsSince, type ClaimRow } from './live-credential.js';

const status = statement(
  'customer_status',
  `SELECT ${claimColumns}, ${signInsSince} AS since,
     $5::uuid IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM passkey p WHERE p.subject = s.id AND ${passkeyIdInSql('p.credential_id')} = $5) AS "passkeyRemoved"
   FROM subject s LEFT JOIN credential c ON c.subject = s.id AND ${isLive} WHERE s.id = $4 AND s.org = $1`,
);

interface Row extends ClaimRow {
  since: number;
  passkeyRemoved: boolean;
}

/** Auth sends this query before it issues anything for a customer. One statement, since every refresh waits for it. */
@Controller()
export class CustomerStatusHandler {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(customerStatus)
  async customerStatus(
    { subject, credentialType, passkey }: RequestOf<typeof customerStatus>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof customerStatus>> {
    const [row] = await this.database.rows<Row>(status, [
      org,
      this.clock.now(),
      credentialType ?? null,
      subject,
      passkey ?? null,
    ]);
    if (!row) return { state: 'unknown' };
    const credential = claimOf(row);
    if (!credential) return { state: 'not_live' };
    const { since, passkeyRemoved } = row;
    return { state: 'live', credential, since, ...(passkeyRemoved && { passkeyRemoved }) };
  }
}
