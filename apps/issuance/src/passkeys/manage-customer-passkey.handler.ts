import { Controller, Inject } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  removeCustomerPasskey,
  renameCustomerPasskey,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { acceptedPasskeysOf, relyingPartyOf } from '@holdfast/passkeys';
import { AppError, auditRecord, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { lockCustomer } from '../customer/customer.repository.js';
import { Customers } from '../customer/customers.js';
import { asCustomer, byAccount, passkeyRecord, requireStillSignedIn } from './account-access.js';
import { passkeyRemoved } from './passkey-rules.js';
import { passkeysOf, removePasskey, renamePasskey, toPasskey } from './passkeys.repository.js';

/** Names and removes passkeys, for a customer who has just signed in to the account page. */
@Controller()
export class ManageCustomerPasskeyHandler {
  constructor(
    private readonly database: Database,
    private readonly customers: Customers,
    private readonly records: RecordOutbox,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Without an event, since nobody else needs the name: the record of the change commits with it. */
  @Handles(renameCustomerPasskey)
  async rename(
    { renamed, name, ...page }: RequestOf<typeof renameCustomerPasskey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof renameCustomerPasskey>> {
    const { org } = context;
    const { subject } = page;
    const record = auditRecord(
      asCustomer(context, page),
      this.clock.now(),
      passkeyRecord('passkey.rename', subject, renamed),
    );
    const passkey = await this.database.transaction(async (sql) => {
      const customer = await lockCustomer(sql, subject, org);
      if (!customer) throw new AppError('account_session_ended');
      requireStillSignedIn(customer.passkeys, page);
      if (!customer.passkeys.some(({ id }) => id === renamed)) throw new AppError('unknown_passkey');
      await renamePasskey(sql, subject, renamed, name);
      await this.records.add(sql, org, record);
      const rows = await passkeysOf(sql, subject, org);
      return toPasskey(rows.find(({ id }) => id === renamed)!);
    });
    await this.records.append(org, record);
    return { passkey };
  }

  @Handles(removeCustomerPasskey)
  remove(
    { removed, relyingParty, ...page }: RequestOf<typeof removeCustomerPasskey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof removeCustomerPasskey>> {
    const { subject } = page;
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    return this.customers.change(byAccount(subject), asCustomer(context, page), async (customer, { sql }) => {
      requireStillSignedIn(customer.passkeys, page);
      const change = passkeyRemoved(customer, removed);
      await removePasskey(sql, subject, removed);
      const reply = { acceptedPasskeys: acceptedPasskeysOf(rp, await passkeysOf(sql, subject, context.org)) };
      return { change, reply, audited: passkeyRecord('passkey.remove', subject, removed) };
    });
  }
}
