import { Injectable } from '@nestjs/common';
import { statement, type Sql } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { lockCustomer } from '../customer/customer.repository.js';
import { requireStillSignedIn, type SignedInPage } from './account-access.js';
import { requireMayAdd } from './passkey-rules.js';

const exclude = statement(
  'passkey_exclude',
  'SELECT credential_id AS id, transports FROM passkey WHERE subject = $1 ORDER BY created_at, credential_id',
);

/** A passkey of `excludeCredentials`. */
export interface ExcludedPasskey {
  id: string;
  transports: string[];
}

/** What every way to a further passkey has in common before its ceremony begins. */
@Injectable()
export class PasskeyAdditions {
  constructor(private readonly types: CredentialTypes) {}

  /**
   * @param page the customer, and on the account page the passkey that signed in
   * @returns the passkeys that the customer has, so that a device makes no second one for the same credential
   * @throws AppError invalid_state when the customer may not add a passkey; unknown_claim or account_session_ended when
   *   they are erased
   */
  async begin(
    sql: Sql,
    page: Pick<SignedInPage, 'subject'> & Partial<SignedInPage>,
    org: string,
    now: Date,
  ): Promise<ExcludedPasskey[]> {
    const { subject, passkey } = page;
    const customer = await lockCustomer(sql, subject, org);
    if (!customer) throw new AppError(passkey === undefined ? 'unknown_claim' : 'account_session_ended');
    if (passkey !== undefined) requireStillSignedIn(customer, { subject, passkey });
    requireMayAdd(customer, await this.types.all(org), now);
    return sql.rows<ExcludedPasskey>(exclude, [subject]);
  }
}
