import { Inject, Injectable } from '@nestjs/common';
import type { CredentialClaim, RequestContext } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Outbox } from '@holdfast/outbox';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { compose } from '../customer/change.js';
import { newCode } from '../customer/code.js';
import { isExpired } from '../customer/customer.js';
import { lockCustomer } from '../customer/customer.repository.js';
import { commitChange } from '../customer/customers.js';
import { expireDue } from '../customer/expiration.js';
import { claimOf, type ClaimRow } from './live-credential.js';
import { renewalDue, renewed } from './renewal.js';

const stillHeld = statement('renewal_passkey', 'SELECT 1 FROM passkey WHERE credential_id = $1 AND subject = $2');

/** Who signed in, with which passkey, and what they hold. */
export interface SignedIn extends ClaimRow {
  id: string;
  subject: string;
  validUntil: Date | null;
  passkey: string;
}

/** Renews what is signed in with inside its renewal window. Outside of it nothing is asked and nobody is locked. */
@Injectable()
export class Renewals {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly types: CredentialTypes,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async due(org: string, { type, expiresAt, validUntil }: SignedIn): Promise<boolean> {
    if (!expiresAt) return false;
    return renewalDue(
      { expiresAt, ...(validUntil && { validUntil }) },
      await this.types.find(org, type),
      this.clock.now(),
    );
  }

  /**
   * Under the customer's lock, where a revocation or a recovery is seen that came first: then nobody is let in, with
   * `lost` as the reason. Otherwise the claim as it is now.
   */
  async renew(
    { id, type: name, subject, passkey }: SignedIn,
    context: RequestContext,
  ): Promise<{ credential: CredentialClaim; version: number } | { lost: 'passkey' | 'credential' }> {
    const { org } = context;
    const type = await this.types.find(org, name);
    const done = await this.database.transaction(async (sql) => {
      const before = await lockCustomer(sql, subject, org);
      // Neither an erased customer nor a key that a recovery has replaced renews anything.
      if (!before || (await sql.rows(stillHeld, [passkey, subject])).length === 0) return { lost: 'passkey' as const };
      const now = this.clock.now();
      const change = compose(
        before,
        (c) => expireDue(c, now),
        (c) => renewed(c, id, type, newCode(16), now),
      );
      const committed =
        change.events.length > 0 ? await commitChange(sql, this.outbox, before, change, context, now) : undefined;
      const credential = change.customer.credentials.find((c) => c.id === id);
      if (credential?.status !== 'issued' || isExpired(credential, now))
        return { lost: 'credential' as const, committed };
      return { credential: claimOf(credential)!, version: change.customer.version, committed };
    });
    if (done.committed) await this.outbox.published(done.committed.rows, done.committed.mark);
    return done.lost ? { lost: done.lost } : { credential: done.credential, version: done.version };
  }
}
