import { Inject, Injectable } from '@nestjs/common';
import type { CredentialClaim, RequestContext } from '@holdfast/contracts';
import { statement } from '@holdfast/data';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { newCode } from '../customer/code.js';
import { isExpired } from '../customer/customer.js';
import { Customers } from '../customer/customers.js';
import { byPasskey } from '../customer/locators.js';
import { claimOf, type ClaimRow } from './live-credential.js';
import { renewalDue, renewed } from './renewal.js';

const findPasskey = statement('renewal_passkey', 'SELECT 1 FROM passkey WHERE credential_id = $1 AND subject = $2');

/** The customer who signed in, the passkey and the credential. */
export interface SignedIn extends ClaimRow {
  id: string;
  subject: string;
  validUntil: Date | null;
  passkey: string;
}

type Renewed = { credential: CredentialClaim; version: number } | { lost: 'passkey' | 'credential' };

/** Renews a credential that signs in within its renewal window. Outside of it there is no query and no lock. */
@Injectable()
export class Renewals {
  constructor(
    private readonly customers: Customers,
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
   * Decides under the customer's lock, so it sees a revocation or a recovery that came first. Then nobody is signed in,
   * and `lost` is the reason.
   */
  async renew({ id, type: name, subject, passkey }: SignedIn, context: RequestContext): Promise<Renewed> {
    const type = await this.types.find(context.org, name);
    try {
      return await this.customers.change<Renewed>(byPasskey(subject), context, async (customer, { sql, now }) => {
        // A recovery has replaced the passkey.
        if ((await sql.rows(findPasskey, [passkey, subject])).length === 0) throw new AppError('unknown_subject');
        const change = renewed(customer, id, type, newCode(16), now);
        const credential = change.customer.credentials.find((c) => c.id === id);
        if (credential?.status !== 'issued' || isExpired(credential, now))
          return { change, reply: { lost: 'credential' } };
        return { change, reply: { credential: claimOf(credential)!, version: change.customer.version } };
      });
    } catch (error) {
      // The customer has been erased, or the passkey replaced.
      if (error instanceof AppError && error.code === 'unknown_subject') return { lost: 'passkey' };
      throw error;
    }
  }
}
